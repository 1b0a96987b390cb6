// In the cache beside what it starts: the single file's own script can import nothing but Node's modules.
void import(require('node:url').pathToFileURL(process.argv[1]).href);
