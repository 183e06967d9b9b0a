import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeWav } from '../../src/audio/wav.ts'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { call } from '../setup/http.ts'
import { endpoint, finishedJob } from '../setup/jobs/fixtures.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'
import { sweep } from '../setup/speech/sound.ts'
import { TINY_FAMILIES } from '../setup/speech/tiny-families.ts'
import { writeModel } from '../setup/speech/tiny-models.ts'

const SCOPES = ['generate:voice', 'job:read', 'voice:library']
const RECORDING = Buffer.from(writeWav(sweep(2, 24_000).samples, 24_000))

let service: TestRuntime
let key = ''
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  for (const [slug, name] of [
    ['pocket', 'Pocket'],
    ['zipvoice', 'ZipVoice'],
  ] as const) {
    await writeModel(join(service.dataDir, 'models', slug), TINY_FAMILIES[name]![1]())
    const engine = { kind: 'sherpa-onnx', family: slug, model_dir: slug, threads: 1, pool: slug }
    const reference = { reference_audio: 'own.wav', reference_text: 'a rising tone' }
    const voices = [{ slug: 'own', name: 'Own', kind: 'reference', ...reference }]
    const source = JSON.stringify({ endpoints: [endpoint(slug, { engine, voices, library_voices: true })] })
    await applyEndpoints(service.runtime.as({ kind: 'system' }), { source, readAudio: async () => RECORDING })
  }
  key = (await service.createKey(await service.createAccount(), SCOPES)).apiKey
})
afterAll(() => service.close())

const upload = async (fields: Record<string, string>): Promise<string> => {
  const form = new FormData()
  form.append('audio_sample', new Blob([RECORDING]), 'a.wav')
  for (const [name, value] of Object.entries({ consent: 'My own voice.', ...fields })) form.append(name, value)
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${service.url}/api/v1/voices`, { method: 'POST', headers, body: form })
  return ((await answer.json()) as { voice_id: string }).voice_id
}
const submit = (slug: string, voice: string) =>
  call(`${service.url}/api/v1/voice/${slug}`, {
    method: 'POST',
    key,
    body: { inputs: { text: 'hello world and all of you', voice } },
  })

describe('an uploaded voice at a model that clones', () => {
  test.each(['pocket', 'zipvoice'])('is spoken like by %s, which has the recording and its text', async (slug) => {
    const voice = await upload({ name: `for ${slug}`, ref_text: 'a rising tone' })
    for (const one of [voice, 'own']) {
      const { job_id: id } = (await submit(slug, one)).json<{ job_id: string }>()
      const job = await finishedJob(service.url, key, id)
      expect(job.status).toBe('completed')
      const { samples, sampleRate } = parseWav((await call(job.outputs!.audio)).bytes)
      expect(samples.length / sampleRate).toBeGreaterThan(1)
    }
  })

  test('without its text is one of Pocket alone: ZipVoice reads along', async () => {
    const voice = await upload({ name: 'untold' })
    expect((await submit('pocket', voice)).status).toBe(202)
    const refused = await submit('zipvoice', voice)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('reference_text')])
    const listed = async (slug: string) =>
      (await call(`${service.url}/v1/audio/voices?model=${slug}`, { key })).json<{ voices: { id: string }[] }>().voices
    expect((await listed('pocket')).map(({ id }) => id)).toContain(voice)
    expect((await listed('zipvoice')).map(({ id }) => id)).not.toContain(voice)
  })
})
