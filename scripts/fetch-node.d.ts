/** Whether a Node can run pinpad's sources, that is, whether it strips types without being asked. */
export function isNewEnough(version?: string): boolean;
/** Returns the one line that is printed if this Node is too old. */
export function tooOldText(why?: string): string;
/** Makes npm fetch the pinned Node into node_modules/, and returns the path of its program. */
export function fetchNode(nodeModules: string): string;
