import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLocalEngines } from '../setup/speech/local-engines.ts'
import { tinyTokens, tinyVits, writeModel } from '../setup/speech/tiny-models.ts'

let models: string
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'sonant-models-'))
  await writeModel(join(models, 'good'), { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })
})
const engines = openLocalEngines(() => models)
afterAll(async () => {
  await engines.close()
  await rm(models, { recursive: true })
})

test.each([
  ['espeak', { kind: 'espeak' }, 'en-us'],
  ['sherpa-onnx', { kind: 'sherpa-onnx', family: 'vits', model_dir: 'good', threads: 1 }, '0'],
])(
  '%s speaks texts that somebody waits for before others, their accounts in turn',
  async (_kind, block, engineVoice) => {
    const voice = { slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
    const signal = AbortSignal.timeout(90_000)
    const ended: string[] = []
    const speak = (name: string, awaitedBy?: string) =>
      engines.use(block, async (engine) => {
        const request = { text: 'hello world', voice, extra: {}, signal, deadline: performance.now() + 90_000 }
        await engine.speak({ ...request, ...(awaitedBy !== undefined && { awaitedBy }) })
        ended.push(name)
      })
    // The engine has started.
    await speak('first')
    const others = ['b1', 'b2', 'b3'].map((name) => speak(name))
    const awaited = ['x1', 'x2', 'y1'].map((name) => speak(name, name[0]))
    await Promise.all([...others, ...awaited])
    expect(ended).toEqual(['first', 'b1', 'x1', 'y1', 'x2', 'b2', 'b3'])
  },
)
