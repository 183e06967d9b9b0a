import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000

describe('The built-in engine', () => {
  let service: TestRuntime
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
    await applyEndpoint(service.runtime, 'remote', { base_url: 'http://127.0.0.1:9/v1', pool: 'remote' })
  })
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close()
    await service.close()
  })

  /** Says how often the worker has warmed it up. */
  const startOn = async (pool: string, warmUp: boolean): Promise<() => number> => {
    let warmed = 0
    const engines = { ...standInEngines(() => undefined), warm: async () => void warmed++ }
    const settings = { ...service.runtime.settings, warmUp }
    const runtime = await openRuntime(settings, openLog('error'), { supervise: true })
    closers.push(() => runtime.close())
    const worker = await startWorker(runtime, { pools: [pool], engines })
    closers.push(() => worker.stop())
    return () => warmed
  }

  test('is warmed up by the workers that it speaks for, and by none where WARM_UP is off', async () => {
    const elsewhere = await startOn('remote', true)
    const off = await startOn('espeak', false)
    // Started last: the others have had more time.
    const on = await startOn('espeak', true)
    await until(() => on() > 0, TIMEOUT_MS, 'the engine to be warmed up')
    expect([elsewhere(), off(), on()]).toEqual([0, 0, 1])
  })
})
