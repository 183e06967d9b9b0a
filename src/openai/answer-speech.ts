import { Readable, type Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { type AudioFormat, FILE_TYPES, knownLength } from '../audio/format.ts'
import { beginFile, type SampleStream } from '../audio/transcode.ts'
import { openaiBody, toOpenaiError } from './openai-error.ts'
import type { SpeechRequest } from './speech-request.ts'

interface SpeechAnswer {
  readonly contentType: string
  /** Bytes; absent if unknown or if the job has not completed yet. */
  readonly length?: number | undefined
  readonly body: Readable
}

const FLUSH_POLL_MS = 5
const TYPES: Readonly<Record<AudioFormat, string>> = { ...FILE_TYPES, opus: 'audio/opus' }

/**
 * Makes the HTTP body of speech after its first bytes.
 * @param owner id of the account that pays
 * @throws the error that ends the speech before its first bytes, AudioBusy
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
  const { sampleRate, totalSamples, isStored = false } = speech
  const isKnown = isStored && totalSamples !== undefined && rate === undefined
  return {
    contentType: TYPES[format],
    length: isKnown ? knownLength(format, sampleRate, totalSamples) : undefined,
    body,
  }
}

/** The error event precedes the break, so no client takes partial audio for the whole. */
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

/** Destroying the stream drops unsent bytes, so the error waits until the client has them. */
async function untilWritten(body: Readable, response: Writable): Promise<void> {
  while (!response.destroyed && (body.readableLength > 0 || response.writableLength > 0)) await wait(FLUSH_POLL_MS)
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
