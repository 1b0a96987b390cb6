/**
 * Users' entry points import this first: an older Node then says that it is too old, instead of naming what it lacks.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18))
  throw new Error(`pinpad needs Node 22.18 or newer; this is Node ${process.versions.node}`);
