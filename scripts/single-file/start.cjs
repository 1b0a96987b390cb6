// This file is in the cache, beside the program that it starts. It is needed because the single file's own script can
// import only Node's modules.
void import(require('node:url').pathToFileURL(process.argv[1]).href);
