/**
 * Users' entry points import this first. So an older Node leads to a message that it is too old, and not to an error
 * about something that it lacks.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18))
  throw new Error(`pinpad needs Node 22.18 or newer; this is Node ${process.versions.node}`);
