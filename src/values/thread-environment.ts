import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** The variables of a thread: the shared compile cache, none of the process's secrets. */
export function threadEnvironment(): Readonly<Record<string, string>> {
  const ofThisNode = getCompileCacheDir()
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisNode) }
}
