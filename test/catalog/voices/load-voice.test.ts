import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeWav } from '../../../src/audio/wav.ts'
import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import { endpoint, finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { sweep } from '../../setup/speech/sound.ts'

let service: TestRuntime
let server: SpeechServer
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  server = await startSpeechServer()
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const recorded = (seconds: number) => Buffer.from(writeWav(sweep(seconds, 16_000).samples, 16_000))

test('jobs are spoken like the recording that their endpoint has now, and with the words of that one', async () => {
  const { key } = await service.createCaller()
  const apply = (recording: Uint8Array, words: string) =>
    applyEndpoints(service.runtime.as({ kind: 'system' }), {
      source: JSON.stringify({
        endpoints: [
          endpoint('recorded', {
            engine: { kind: 'openai-speech', base_url: server.url, model: 'm', profile: 'vllm-omni' },
            voices: ['host', 'guest'].map((slug) => ({
              slug,
              name: slug,
              description: '',
              kind: 'reference',
              reference_audio: `${slug}.wav`,
              reference_text: `${slug}: ${words}`,
            })),
          }),
        ],
      }),
      readAudio: async (path) => (path === 'host.wav' ? recording : recorded(3)),
    })
  const sent = async (voice: string) => {
    const id = await submitText(service.url, key, 'recorded', 'Hello.', voice)
    expect(await finishedJob(service.url, key, id)).toMatchObject({ status: 'completed' })
    const { ref_audio: audio, ref_text: words } = server.calls.at(-1)!.body
    return [Buffer.from(String(audio).replace(/^.*base64,/, ''), 'base64').length, words]
  }
  await apply(recorded(1), 'first')
  for (const _ of [1, 2]) expect(await sent('host')).toEqual([recorded(1).length, 'host: first'])
  expect(await sent('guest')).toEqual([recorded(3).length, 'guest: first'])
  await apply(recorded(2), 'second')
  for (const _ of [1, 2]) expect(await sent('host')).toEqual([recorded(2).length, 'host: second'])
})
