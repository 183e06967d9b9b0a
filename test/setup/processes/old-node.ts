import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** An old Node.js says this of itself; the rest of it is not available here. */
const OLD_NODE = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
Object.defineProperty(process, 'version', { value: 'v20.20.2' })
`

/** The option by which a process takes itself for an old Node.js, from a file in the directory. */
export async function asOldNode(directory: string): Promise<string> {
  const old = join(directory, 'old.mjs')
  await writeFile(old, OLD_NODE)
  return `--import=${pathToFileURL(old).href}`
}
