import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SpeechRequest } from '../../../src/engines/engine.ts'
import { type Engines, openEngines } from '../../../src/engines/engines.ts'
import type { ModelState } from '../../../src/engines/sherpa/sherpa-model.ts'
import { openLog } from '../../../src/values/log.ts'
import { childrenOf, runs } from '../../setup/processes/process-tree.ts'
import { tinyTokens, tinyVits, VITS_METADATA, writeModel } from '../../setup/speech/tiny-models.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const PAGE_BYTES = 4096
const KIB = 1024

let models: string
let engines: Engines
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'sonant-cold-'))
  for (const name of ['english', 'german'])
    await writeModel(join(models, name), { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })
})
afterEach(async () => {
  await engines.close()
  await until(() => pids().length === 0, TIMEOUT_MS, 'the processes to end')
})
afterAll(() => rm(models, { recursive: true }))

const open = (modelsBytes?: number) => {
  engines = openEngines({
    ...{ threads: 1, log: openLog('silent'), lookUp: () => undefined, modelsDir: models },
    ...(modelsBytes !== undefined && { modelsBytes }),
  })
}
const block = (model_dir: string, changes: object = {}) => ({
  ...{ kind: 'sherpa-onnx', family: 'vits', model_dir, threads: 1, ...changes },
})
const speak = (engine: object, changes: Partial<SpeechRequest> = {}) =>
  engines.use(engine, async (opened) => {
    const voice = { slug: 'v', kind: 'preset', engineVoice: '0', referenceAudio: null, referenceText: null } as const
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    // Nothing is tried again.
    const deadline = performance.now()
    return (await opened.speak({ text: 'hello', voice, extra: {}, signal, deadline, ...changes })).audio
  })
/** Ids of the processes that hold a model. */
const pids = () => childrenOf(process.pid).filter((pid) => runs(pid) && isModel(pid))
const isModel = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('sherpa-child')
const bytesOf = (pid: number) => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES

describe.skipIf(process.platform !== 'linux')('a model', () => {
  test('is loaded for its first text, which says so, and goes after idle_minutes', async () => {
    open()
    await engines.probe(block('english'))
    const state = (): ModelState | null => engines.modelState(block('english'))
    expect([state(), pids()]).toEqual(['cold', []])
    const told: boolean[] = []
    const onLoading = (isLoading: boolean) => told.push(isLoading)
    await speak(block('english'), { onLoading })
    expect([state(), told]).toEqual(['warm', [true, false]])
    const [pid] = pids()
    await speak(block('english', { idle_minutes: 0.005 }), { onLoading })
    expect([told.length, pids()]).toEqual([2, [pid]])
    await until(() => pids().length === 0, TIMEOUT_MS, 'the idle process to end')
    await speak(block('english'), { onLoading })
    expect(told).toEqual([true, false, true, false])
  })

  test('makes room for another one within the bound, and both speak although they are asked for at once', async () => {
    open()
    await speak(block('english'))
    const bytes = bytesOf(pids()[0]!)
    await engines.close()
    open(bytes * 1.5)
    const texts = ['english', 'german', 'english', 'german'].map((name) => speak(block(name)))
    let most = 0
    const counting = setInterval(() => {
      most = Math.max(most, pids().length)
    }, 20)
    const spoken = await Promise.all(texts).finally(() => clearInterval(counting))
    expect(spoken.map(({ samples }) => samples.length > 0)).toEqual([true, true, true, true])
    expect(pids()).toHaveLength(1)
    // Two may begin to load at once, since only a loaded model was ever measured.
    expect(most).toBeLessThanOrEqual(2)
  })

  test('that is larger than the bound says so in one sentence, before and instead of a load', async () => {
    open(KIB)
    const sentence =
      /^The model cannot be loaded: it takes \d+ MB of memory, and MODELS_MEMORY_MB gives all models of a process [01] MB\.$/
    const refusal = { code: 'INTERNAL_ERROR', message: expect.stringMatching(sentence) }
    await expect(speak(block('english'))).rejects.toMatchObject(refusal)
    await expect(engines.probe(block('english'))).rejects.toMatchObject(refusal)
    await engines.close()
    // Its files fit, the process that holds them does not.
    open(KIB * KIB)
    await expect(speak(block('english'))).rejects.toMatchObject(refusal)
  })

  test('is loaded again if something kills its process while it waits', async () => {
    open()
    await speak(block('english'))
    const [pid] = pids()
    process.kill(pid!, 'SIGKILL')
    await until(() => pids().length === 0, TIMEOUT_MS, 'the process to end')
    // The first text after that may meet the dead process, and is tried again.
    const deadline = performance.now() + TIMEOUT_MS
    expect((await speak(block('english'), { deadline })).samples.length).toBeGreaterThan(0)
  })

  test('is loaded again if something kills its process while it loads', async () => {
    open()
    // A passed deadline would turn the second try off.
    const spoken = speak(block('english'), { deadline: performance.now() + TIMEOUT_MS })
    const [pid] = await until(() => (pids().length > 0 ? pids() : null), TIMEOUT_MS, 'the process to start')
    process.kill(pid!, 'SIGKILL')
    expect((await spoken).samples.length).toBeGreaterThan(0)
    expect(pids()).not.toContain(pid)
  })

  test('goes on loading for the next text if the one that asked for it is aborted', async () => {
    open()
    const stop = new AbortController()
    const spoken = speak(block('english'), { signal: stop.signal })
    const [pid] = await until(() => (pids().length > 0 ? pids() : null), TIMEOUT_MS, 'the process to start')
    stop.abort(new Error('cancelled'))
    await expect(spoken).rejects.toThrow('cancelled')
    await speak(block('english'))
    expect(pids()).toEqual([pid])
  })

  test('that cannot be loaded is not tried again at once', async () => {
    open()
    const files = { 'model.onnx': tinyVits({ ...VITS_METADATA, sample_rate: '' }), 'tokens.txt': tinyTokens() }
    await writeModel(join(models, 'broken'), files)
    const message = expect.stringMatching(/^The model cannot be loaded \(exit code/)
    await expect(speak(block('broken'))).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message })
    const told: boolean[] = []
    const onLoading = () => told.push(pids().length > 0)
    await expect(speak(block('broken'), { onLoading })).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message })
    expect([told, pids()]).toEqual([[false, false], []])
    expect((await speak(block('english'))).samples.length).toBeGreaterThan(0)
  })

  test.each(['3', '-1', 'heart'])('refuses the speaker %s, which it lacks, in one sentence', async (engineVoice) => {
    open()
    const voice = { slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
    await expect(speak(block('english'), { voice })).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: `The model has 3 speakers, from 0: engine_voice ${engineVoice} is none.`,
    })
  })
})
