import { request } from 'undici'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { stopOnSignal } from '../../../src/runtime/shutdown.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { openLog } from '../../../src/values/log.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { standInEngines } from '../speech/stand-in-engine.ts'

// A worker process of the service. Only its engine is another one, and its storage reports: both ask the test's controlServer, and go on
// when that answers.
const [pool = '', controlServer = ''] = process.argv.slice(2)

const ask = async (path: string, body: object, signal?: AbortSignal): Promise<void> => {
  const reply = await request(`${controlServer}${path}`, {
    method: 'POST',
    body: JSON.stringify({ ...body, pid: process.pid }),
    // A controlServer may think as long as it likes.
    headersTimeout: 0,
    ...(signal !== undefined && { signal }),
  })
  await reply.body.dump()
}

const settings = readSettings(process.env)
const log = openLog(settings.logLevel)
const runtime = await openRuntime(settings, log, { supervise: true })
const storage: Storage = {
  ...runtime.storage,
  put: async (key, content, options) => {
    const stored = await runtime.storage.put(key, content, options)
    await ask('/stored', { name: key })
    return stored
  },
}
const engines = standInEngines(({ text, signal }) => ask('/speak', { name: text }, signal))
const worker = await startWorker({ ...runtime, storage }, { pools: [pool], engines })
const working = [{ what: 'the worker', close: () => worker.stop() }]
const opened = { starting: Promise.resolve(), working, ground: [() => runtime.close()] }
stopOnSignal(log, opened, settings.shutdownSeconds * 1000)
process.stdout.write('works\n')
