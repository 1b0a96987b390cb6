/**
 * Every entry point for users imports this module first. So with an older Node, users get a message that Node is too
 * old, and not an error about a missing feature.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18))
  throw new Error(`pinpad needs Node 22.18 or newer; this is Node ${process.versions.node}`);
