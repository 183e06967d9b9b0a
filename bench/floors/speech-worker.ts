import { request } from 'undici'
import { readSettings } from '../../src/config.ts'
import type { SpeechEngine } from '../../src/engines/engine.ts'
import type { Engines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/log.ts'
import { openRuntime } from '../../src/runtime.ts'
import { stopOnSignal } from '../../src/server/shutdown.ts'
import { startWorker } from '../../src/synthesis/synthesis-worker.ts'

// The worker with an engine that is one HTTP call: what the pipeline around an engine costs.

const speak: SpeechEngine['speak'] = async ({ text, signal }) => {
  const { body } = await request(process.env.SPEECH_URL!, {
    method: 'POST',
    body: JSON.stringify({ input: text }),
    signal,
  })
  return { wav: new Uint8Array(await body.arrayBuffer()) }
}
const engine: SpeechEngine = {
  slots: 64,
  deterministic: true,
  speak,
  voices: async () => null,
  close: async () => undefined,
}
const engines: Engines = {
  use: (_block, work) => work(engine),
  warm: async () => undefined,
  close: async () => undefined,
}

const settings = readSettings(process.env)
const log = openLog(settings.logLevel)
const runtime = await openRuntime(settings, log, { supervise: true })
const worker = await startWorker(runtime, { pools: ['bench'], engines })
stopOnSignal(log, { starting: Promise.resolve(), working: [() => worker.stop()], ground: [() => runtime.close()] })
process.stdout.write('ready\n')
