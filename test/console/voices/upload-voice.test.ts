import { afterEach, expect, test, vi } from 'vitest'

const VOICE = {
  name: 'host',
  file: new File(['tone'], 'host.wav'),
  consent: 'Agreed in writing.',
  transcript: '',
  language: '',
}
const lost = () => new ReadableStream({ start: (to) => to.error(new TypeError('network error')) })

afterEach(() => vi.unstubAllGlobals())

async function upload(answer: () => Response): Promise<void> {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('fetch', async () => answer())
  const { uploadVoice } = await import('../../../src/console/voices/upload-voice.ts')
  return uploadVoice(VOICE)
}

test('a recording is stored once the service has answered with its voice', async () => {
  await upload(() => Response.json({ id: 'voice_1' }, { status: 201 }))
})

test.each([
  ['the page of a network', () => new Response('<h1>Sign in to the network</h1>', { status: 200 })],
  ['another status', () => Response.json({ id: 'voice_1' })],
  ['a page', () => new Response('<h1>Created</h1>', { status: 201 })],
])('a recording whose answer is %s is not taken for stored', async (_, answer) => {
  await expect(upload(answer)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' })
})

test('a recording whose answer was lost may have been stored, which its error says', async () => {
  await expect(upload(() => new Response(lost(), { status: 201 }))).rejects.toThrow('may have been stored')
  await expect(upload(() => new Response(lost(), { status: 403 }))).rejects.toThrow('cannot be reached')
})
