import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const HELPER = new URL('../../src/values/thread.ts', import.meta.url).href
const THREAD = `
  import { parentPort } from 'node:worker_threads'
  const parser: string[] = process.moduleLoadList.filter((name) => name.includes('amaro'))
  parentPort?.postMessage(parser.length > 0)`

test('a thread loads no parser of types where its process has kept the sources without them', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-threads-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const thread = join(directory, 'thread.ts')
  await writeFile(thread, THREAD)
  const parent = join(directory, 'parent.mjs')
  await writeFile(
    parent,
    `
    import { enableCompileCache } from 'node:module'
    import { Worker } from 'node:worker_threads'
    enableCompileCache(${JSON.stringify(join(directory, 'kept'))})
    const { threadEnvironment } = await import(${JSON.stringify(HELPER)})
    const thread = new Worker(new URL(${JSON.stringify(pathToFileURL(thread).href)}), { env: threadEnvironment() })
    thread.once('message', (loads) => console.log(loads))`,
  )
  const run = async () => (await promisify(execFile)(process.execPath, [parent])).stdout.trim()
  expect([await run(), await run()]).toEqual(['true', 'false'])
})
