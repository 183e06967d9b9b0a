import { requireAccount } from '../access/require.ts'
import { transcode } from '../audio/transcode.ts'
import { markupOf } from '../catalog/markups.ts'
import { codePoints, textLimit } from '../catalog/voice-endpoint.ts'
import { knownLanguage } from '../engines/espeak/detect-language.ts'
import { ownLanguage } from '../engines/espeak/espeak-voice.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { type HeardPart, LiveText } from '../voice/open-text/live-text.ts'
import { alignmentOf } from './alignment.ts'
import type { WantedSpeech } from './speech.ts'

interface Talk {
  readonly wanted: WantedSpeech
  /** Each message is spoken as it comes. */
  readonly isAuto: boolean
  /** Resolves when the client has taken the message. */
  send(message: object): Promise<void>
}

/** One text of a WebSocket, spoken while it comes, and the messages with its audio. */
export class LiveContext {
  readonly #ctx: ServiceContext
  readonly #talk: Talk
  readonly #text: LiveText
  readonly #gone = new AbortController()
  /** Ends with the last message; rejects with what ended the speech. */
  readonly done: Promise<void>

  constructor(ctx: ServiceContext, talk: Talk) {
    this.#ctx = ctx
    this.#talk = talk
    const { submission } = talk.wanted
    const endpoint = ctx.catalog.current.endpoints.get(submission.slug)
    const inputs = submission.inputs as Readonly<Record<string, unknown>>
    const voice = endpoint?.voices.find(({ slug }) => slug === inputs[endpoint.voiceInput])
    this.#text = new LiveText(ctx, submission, {
      language: knownLanguage(inputs.language) ?? (voice && ownLanguage(voice)),
      markup: submission.markup ?? markupOf(endpoint?.markup),
      maxTextCharacters: endpoint === undefined ? ctx.settings.maxTextCharacters : textLimit(endpoint),
      signal: this.#gone.signal,
    })
    this.done = this.#speak()
    this.done.catch(() => undefined)
  }

  async add(text: string, isFlushed: boolean): Promise<void> {
    await this.#text.add(text, isFlushed || this.#talk.isAuto)
  }

  async end(): Promise<void> {
    await this.#text.end()
  }

  /** Drops what was not sent yet. Never rejects. */
  async drop(): Promise<void> {
    this.#gone.abort(new Error('the client wants no more of the speech'))
    await this.#text.drop()
  }

  async #speak(): Promise<void> {
    try {
      for await (const part of this.#text.parts()) if (part.samples.length > 0) await this.#sendPart(part)
    } catch (error) {
      if (!this.#gone.signal.aborted) {
        void this.#text.drop()
        throw error
      }
    }
    await this.#talk.send({ isFinal: true })
  }

  /** Each part is encoded by itself, so that its last sound is sent although the next one is not there yet. */
  async #sendPart(part: HeardPart): Promise<void> {
    const { format, sampleRate: rate, bitRate } = this.#talk.wanted.file
    const blocks = (async function* () {
      yield part.samples
    })()
    const owner = requireAccount(this.#ctx).accountId
    const reader = { format, rate, bitRate, owner, gone: this.#gone.signal }
    let alignment: object | null = alignmentIn(part)
    for await (const bytes of transcode(this.#ctx.audio, { sampleRate: part.sampleRate, blocks }, reader)) {
      this.#gone.signal.throwIfAborted()
      const audio = Buffer.from(bytes).toString('base64')
      await this.#talk.send({ audio, isFinal: null, alignment, normalizedAlignment: alignment })
      alignment = null
    }
  }
}

/** Milliseconds from the beginning of the part, for each of its characters. */
function alignmentIn({ text, words, samples, sampleRate }: HeardPart): object {
  const placed = words.map(({ start, end, from, to }) => ({
    offset: codePoints(text.slice(0, start)),
    length: codePoints(text.slice(start, end)),
    start: from / 1000,
    end: to / 1000,
  }))
  const {
    characters,
    character_start_times_seconds: starts,
    character_end_times_seconds: ends,
  } = alignmentOf([...text], placed, 0, samples.length / sampleRate)
  const inMs = (seconds: number) => Math.round(seconds * 1000)
  return {
    chars: characters,
    charStartTimesMs: starts.map(inMs),
    charsDurationsMs: starts.map((start, index) => inMs(ends[index]! - start)),
  }
}
