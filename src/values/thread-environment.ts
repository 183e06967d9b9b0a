import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The variables of a thread, which by itself uses none of the compiled code that its process keeps: it would compile again and, where
 * sources have types, load the parser of types. Each thread took up to 28 MB more. No variable of the process is any of its business;
 * flags for Node.js reach it from the command line, not from NODE_OPTIONS.
 */
export function threadEnvironment(): Readonly<Record<string, string>> {
  const ofThisNode = getCompileCacheDir()
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisNode) }
}
