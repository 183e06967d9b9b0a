import { writeFileSync } from 'node:fs'
import { request } from 'undici'
import { readWav } from '../../src/audio/plain-wav.ts'
import { readSettings } from '../../src/context/config.ts'
import type { SpeechEngine } from '../../src/engines/engine.ts'
import type { Engines } from '../../src/engines/engines.ts'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { stopOnSignal } from '../../src/runtime/shutdown.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { watchStages } from '../stages.ts'

// The worker with an engine that is one HTTP call: what the pipeline around an engine costs. With STAGES_FILE it writes down, when it
// stops, how long the stages of its jobs took. With WEBHOOKS=1 it delivers, too.

const speak: SpeechEngine['speak'] = async ({ text, signal }) => {
  const { body } = await request(process.env.SPEECH_URL!, {
    method: 'POST',
    body: JSON.stringify({ input: text }),
    signal,
  })
  return { audio: readWav(new Uint8Array(await body.arrayBuffer()))! }
}
const engine: SpeechEngine = {
  slots: 64,
  deterministic: true,
  speak,
  voices: async () => null,
}
const stages = process.env.STAGES_FILE === undefined ? null : watchStages()
const rendering = stages?.engine(engine) ?? engine
const engines: Engines = {
  use: (_block, work) => work(rendering),
  probe: async () => true,
  ask: async () => null,
  modelState: () => null,
  warm: async () => undefined,
  close: async () => undefined,
}

const settings = readSettings(process.env)
const log = openLog(settings.logLevel)
const runtime = await openRuntime(settings, log, { supervise: true })
const worker = await startWorker(stages?.runtime(runtime) ?? runtime, {
  pools: ['bench'],
  engines,
  webhooks: process.env.WEBHOOKS === '1',
})
const stop = async () => {
  await worker.stop()
  if (stages !== null) writeFileSync(process.env.STAGES_FILE!, JSON.stringify(stages.times()))
}
const working = [{ what: 'the worker', close: stop }]
const opened = { starting: Promise.resolve(), working, ground: [() => runtime.close()] }
stopOnSignal(log, opened, settings.shutdownSeconds * 1000)
process.stdout.write('ready\n')
