import { requireAccount } from '../../access/require.ts'
import type { SampleStream } from '../../audio/transcode.ts'
import type { Markup } from '../../catalog/markups.ts'
import { checkTextLength } from '../../catalog/voice-endpoint.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import { describeError } from '../../errors/describe-error.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { PartTiming } from '../../jobs/live-parts.ts'
import { type ListenerContext, listenToJob } from '../listen-to-job.ts'
import type { VoiceJobInput } from '../submit-voice-job.ts'
import type { KeptTexts } from './kept-texts.ts'
import { appendText, closeText, cutText, type OpenText, type OpenTextContext, openText } from './open-text.ts'
import { PieceCutter } from './piece-cutter.ts'

interface LiveTextContext extends OpenTextContext, Omit<ListenerContext, 'actor'> {
  readonly keptTexts: KeptTexts
}

interface Writing {
  readonly language: Language | undefined
  readonly markup: Markup
  readonly maxTextCharacters: number
  readonly signal: AbortSignal
}

/** A stretch of the text with all of its sound. */
export interface HeardPart {
  readonly text: string
  /** Times in milliseconds from the beginning of the part; offsets in UTF-16 units of its text. */
  readonly words: PartTiming['words']
  readonly samples: Int16Array
  readonly sampleRate: number
}

/** One text that a caller writes while it is spoken, as one job, which is submitted with the first complete sentence. */
export class LiveText {
  readonly #ctx: LiveTextContext
  readonly #input: VoiceJobInput
  readonly #writing: Writing
  readonly #cutter: PieceCutter
  readonly #speech = Promise.withResolvers<SampleStream | null>()
  readonly #told: PartTiming[] = []
  #last: Promise<void> = Promise.resolve()
  #text = ''
  #open: OpenText | null = null
  #sentEnd = 0
  #isEnded = false

  constructor(ctx: LiveTextContext, input: VoiceJobInput, writing: Writing) {
    this.#ctx = ctx
    this.#input = input
    this.#writing = writing
    this.#cutter = new PieceCutter(writing)
    this.#speech.promise.catch(() => undefined)
  }

  /** @throws INVALID_REQUEST for a text that is too long, even where nothing of it is complete; errors of `openText` and `appendText` */
  add(text: string, isFlushed: boolean): Promise<void> {
    if (this.#isEnded) return this.#last
    this.#cutter.add(text)
    return this.#inTurn(() => this.#send(isFlushed))
  }

  /** Closes the text; what is left of it is spoken. @throws like `add` */
  end(): Promise<void> {
    if (this.#isEnded) return this.#last
    this.#isEnded = true
    return this.#inTurn(async () => {
      await this.#send(true)
      await this.#close((open) => closeText(this.#ctx, open))
    })
  }

  /** Drops what the reader of `parts` has not taken yet, and does not charge it. Never rejects. */
  drop(): Promise<void> {
    const end = this.#sentEnd
    this.#isEnded = true
    this.#last = this.#last
      .catch(() => undefined)
      .then(() => this.#close((open) => cutText(this.#ctx, open, end)))
      .catch((error: unknown) =>
        this.#ctx.log.warn(
          { jobId: this.#open?.jobId, ...describeError(error) },
          'a text that nobody hears could not be cut',
        ),
      )
    return this.#last
  }

  /**
   * The speech, part by part. Nothing if the text ends before it has anything to say.
   * @throws errors of `openText` and `appendText`, JobFailure, UNAVAILABLE, the signal's reason
   */
  async *parts(): AsyncGenerator<HeardPart, void> {
    const speech = await this.#speech.promise
    if (speech === null) return
    try {
      yield* this.#partsOf(speech)
    } finally {
      // A text whose time was over may have ended without its writer.
      this.#keepNoMore()
    }
  }

  async *#partsOf({ blocks: samples, sampleRate }: SampleStream): AsyncGenerator<HeardPart, void> {
    let blocks: Int16Array[] = []
    let count = 0
    for await (const block of samples) {
      blocks.push(block)
      count += block.length
      for (let part = this.#told[0]; part !== undefined && count >= part.samples; part = this.#told[0]) {
        const all = joined(blocks, count)
        blocks = [all.subarray(part.samples)]
        count -= part.samples
        this.#told.shift()
        yield this.#heard(part, all.subarray(0, part.samples), sampleRate)
      }
    }
  }

  #keepNoMore(): void {
    if (this.#open !== null) this.#ctx.keptTexts.remove(this.#open.jobId)
  }

  #heard({ words, textEnd }: PartTiming, samples: Int16Array, sampleRate: number): HeardPart {
    const start = this.#sentEnd
    this.#sentEnd = textEnd
    const own = words.map((word) => ({ ...word, start: word.start - start, end: word.end - start }))
    return { text: this.#text.slice(start, textEnd), words: own, samples, sampleRate }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work)
    this.#last.catch((error: unknown) => this.#speech.reject(error))
    return this.#last
  }

  async #send(isFlushed: boolean): Promise<void> {
    const { maxTextCharacters } = this.#writing
    const message = checkTextLength(this.#text + this.#cutter.rest, { maxTextCharacters })
    if (message !== null) throw invalidRequest('Send a shorter text.', [{ path: '/inputs/text', message }])
    const pieces = this.#cutter.take(isFlushed)
    if (pieces.length === 0) return
    this.#text += pieces.join('')
    if (this.#open !== null) this.#open = await appendText(this.#ctx, this.#open, pieces)
    else this.#begin(await openText(this.#ctx, this.#input, pieces))
  }

  #begin(open: OpenText): void {
    this.#open = open
    this.#ctx.keptTexts.add(open.jobId)
    const onPart = (part: PartTiming) => void this.#told.push(part)
    const heard = { jobId: open.jobId, isSubmitter: true, signal: this.#writing.signal, onPart }
    this.#speech.resolve(listenToJob({ ...this.#ctx, actor: requireAccount(this.#ctx) }, heard))
  }

  async #close(close: (open: OpenText) => Promise<void>): Promise<void> {
    this.#keepNoMore()
    if (this.#open === null) this.#speech.resolve(null)
    else await close(this.#open)
  }
}

function joined(blocks: readonly Int16Array[], count: number): Int16Array {
  if (blocks.length === 1) return blocks[0]!
  const all = new Int16Array(count)
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}
