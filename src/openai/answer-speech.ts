import { Readable, type Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { type AudioFormat, FILE_TYPES, knownLength } from '../audio/format.ts'
import { beginFile, type SampleStream } from '../audio/transcode.ts'
import { openaiBody, toOpenaiError } from './openai-error.ts'
import type { SpeechRequest } from './speech-request.ts'

/** The body of an answer, and what kind of body it is. */
interface SpeechAnswer {
  readonly contentType: string
  /** In bytes; absent where it is not known, or the job is not completed yet. */
  readonly length?: number | undefined
  readonly body: Readable
}

const FLUSH_POLL_MS = 5
/** As OpenAI names them; a stored file says what its container is. */
const TYPES: Readonly<Record<AudioFormat, string>> = { ...FILE_TYPES, opus: 'audio/opus' }

/**
 * Speech as it is sent, once its first bytes are there: those of the file, or events that hold them.
 * @param owner the account that pays for it
 * @param response what the body is written to
 * @param gone aborted when the caller hangs up
 * @throws what the speech breaks off with before, the signal's reason when aborted before, AudioBusy
 */
export async function answerSpeech(
  threads: AudioThreads,
  { format, sampleRate: rate, isSse, characters }: SpeechRequest,
  speech: SampleStream,
  { owner, response, gone }: { readonly owner: string; readonly response: Writable; readonly gone: AbortSignal },
): Promise<SpeechAnswer> {
  const { bytes, close } = await beginFile(threads, speech, { format, rate, owner, gone })
  const left = (): Promise<void> => untilWritten(body, response)
  const content = isSse ? events(bytes, characters, left) : bytes
  const body: Readable = Readable.from(content, { objectMode: false }).once('close', close)
  if (isSse) return { contentType: 'text/event-stream', body }
  // With a length the end is where the last byte is; without one it says that the job is completed as well.
  const { sampleRate, totalSamples, isStored = false } = speech
  const isKnown = isStored && totalSamples !== undefined && rate === undefined
  return {
    contentType: TYPES[format],
    length: isKnown ? knownLength(format, sampleRate, totalSamples) : undefined,
    body,
  }
}

/** A failure is sent before the connection breaks: no client takes what came for the whole. */
async function* events(
  bytes: AsyncIterable<Uint8Array>,
  characters: number,
  left: () => Promise<void>,
): AsyncGenerator<string, void> {
  try {
    for await (const piece of bytes) {
      yield event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })
    }
  } catch (error) {
    yield `event: error\ndata: ${openaiBody(toOpenaiError(error))}\n\n`
    await left()
    throw error
  }
  const usage = { input_tokens: characters, output_tokens: 0, total_tokens: characters }
  yield event({ type: 'speech.audio.done', usage })
}

/** What breaks off drops what is still on its way. A client that does not read ends the wait: the server closes its connection. */
async function untilWritten(body: Readable, response: Writable): Promise<void> {
  while (!response.destroyed && (body.readableLength > 0 || response.writableLength > 0)) await wait(FLUSH_POLL_MS)
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
