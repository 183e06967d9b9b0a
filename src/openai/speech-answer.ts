import { type AudioFormat, FILE_TYPES, rateOf } from '../audio/format.ts'
import type { TimedSpeech } from '../speech/answer-speech.ts'
import type { Delivery } from './delivery.ts'
import { openaiBody, toOpenaiError } from './openai-error.ts'

export const SPEECH_TYPES: Readonly<Record<AudioFormat, string>> = { ...FILE_TYPES, opus: 'audio/opus' }

/** The answer to `timestamps: true`, beside the audio. */
export const timesBeside = (
  { format, sampleRate }: Pick<Delivery, 'format' | 'sampleRate'>,
  { speech, durationMs, times }: TimedSpeech,
) => ({
  format,
  sample_rate: sampleRate ?? rateOf(format, speech.sampleRate),
  duration_seconds: durationMs / 1000,
  timing: times.timing,
  words: times.words.map(({ text: word, start, end, source }) => ({ text: word, start, end, source })),
})

/** The error event precedes the break, so no client takes partial audio for the whole. */
export async function* speechEvents(
  bytes: AsyncIterable<Uint8Array>,
  characters: number,
  written: () => Promise<void>,
): AsyncGenerator<string, void> {
  try {
    for await (const piece of bytes) {
      yield event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })
    }
  } catch (error) {
    yield `event: error\ndata: ${openaiBody(toOpenaiError(error))}\n\n`
    await written()
    throw error
  }
  const usage = { input_tokens: characters, output_tokens: 0, total_tokens: characters }
  yield event({ type: 'speech.audio.done', usage })
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
