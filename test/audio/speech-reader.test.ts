import { afterAll, expect, test } from 'vitest'
import { AudioThreads } from '../../src/audio/audio-threads.ts'
import { SpeechReader } from '../../src/audio/speech-reader.ts'
import { sweep } from '../setup/speech/sound.ts'

const threads = new AudioThreads(1)
const reader = new SpeechReader()
afterAll(() => Promise.all([threads.close(), reader.close()]))

test('files are read in their turns, and one whose request ends while it waits is not read', async () => {
  const file = await threads.encode(sweep(2, 24_000), 'flac')
  const gone = new AbortController()
  const read = (signal = new AbortController().signal) =>
    reader.read(file, 'audio/flac', { mostSeconds: 60, signal }).then(({ samples }) => samples.length)
  const all = [read(), read(gone.signal), read()]
  gone.abort(new Error('nobody listens'))
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: sweep(2, 24_000).samples.length },
    { reason: { message: 'nobody listens' } },
    { value: sweep(2, 24_000).samples.length },
  ])
})
