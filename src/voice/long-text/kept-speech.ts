import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Parts } from '../../context/context.ts'
import type { EngineVoice, KanjiCount, Speech, SpeechRequest } from '../../engines/engine.ts'
import type { Loudness } from '../../engines/loudness.ts'
import { sharedFolder } from '../../jobs/lifecycle/produce.ts'
import type { RenderedSpeech } from '../speak-text.ts'

/** Chunks that are read ahead. */
const READ_AHEAD = 4
const LINE_FEED = 0x0a

/** Speech of a chunk, with the characters that its engine could and could not read. */
export type KeptChunk = RenderedSpeech & { readonly kanji?: KanjiCount | undefined }

type Kept = Pick<Speech, 'words' | 'wordsFrom' | 'kanji'> & {
  readonly sampleRate: number
  readonly length: number
  readonly loudness?: Loudness | undefined
}

/**
 * Keeps the spoken chunks of a job in the store, so that the next attempt goes on where this one stopped, and a long recording needs no
 * memory. A file is a line of JSON with the rate, the loudness, the marked words and the count of kanji, then the samples (16 bits, little-endian).
 */
export class KeptSpeech {
  readonly #storage: Parts['storage']
  readonly #jobId: string
  readonly #isFirst: boolean
  readonly #signal: AbortSignal
  readonly #keys: string[] = []

  /** @param isFirst whether no attempt before can have kept anything */
  constructor({ storage }: Pick<Parts, 'storage'>, jobId: string, isFirst: boolean, signal: AbortSignal) {
    this.#storage = storage
    this.#jobId = jobId
    this.#isFirst = isFirst
    this.#signal = signal
  }

  /** True if no attempt before can have kept anything. */
  get isFirst(): boolean {
    return this.#isFirst
  }

  /**
   * Speaks a chunk and stores it, unless an attempt before has kept it. A chunk without sound is not kept.
   * @throws errors of `speak` and the store
   */
  async speak(
    index: number,
    name: string,
    speak: () => Promise<KeptChunk | null>,
  ): Promise<{ readonly speech: KeptChunk | null; readonly isKept: boolean }> {
    const key = `${sharedFolder(this.#jobId)}/${index}-${name}`
    const kept = this.#isFirst ? null : await this.#find(key)
    const speech = kept ?? (await speak())
    if (speech !== null) this.#keys[index] = key
    if (speech !== null && kept === null) await this.#keep(key, speech)
    return { speech, isKept: kept !== null }
  }

  /** Yields all chunks in their order; null for those without sound. */
  async *all(count: number): AsyncGenerator<RenderedSpeech | null, void> {
    const ahead: Promise<RenderedSpeech | null>[] = []
    const readNext = (index: number): void => {
      if (index >= count) return
      const key = this.#keys[index]
      const read = key === undefined ? Promise.resolve(null) : this.#read(key).then(requireWhole)
      read.catch(() => undefined)
      ahead.push(read)
    }
    for (let index = 0; index < READ_AHEAD; index++) readNext(index)
    for (let index = 0; index < count; index++) {
      readNext(index + READ_AHEAD)
      yield (await ahead.shift()) ?? null
    }
  }

  async #keep(key: string, speech: KeptChunk): Promise<void> {
    // A chunk that a power cut takes, or leaves in part, is spoken again.
    const options = { contentType: 'application/octet-stream', signal: this.#signal, isBrief: true }
    await this.#storage.put(key, encode(speech), options)
  }

  async #find(key: string): Promise<KeptChunk | null> {
    return (await this.#storage.stat(key)) === null ? null : decode(await this.#read(key))
  }

  async #read(key: string): Promise<Buffer> {
    return buffer(await this.#storage.read(key))
  }
}

function encode({ audio, loudness, words, wordsFrom, kanji }: KeptChunk): Uint8Array {
  const { sampleRate, samples } = audio
  const head: Kept = {
    ...{ sampleRate, length: samples.length },
    ...(loudness && { loudness }),
    ...(words && { words }),
    ...(wordsFrom && { wordsFrom }),
    ...(kanji && { kanji }),
  }
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  const line = JSON.stringify(head)
  // The samples begin at an even place, so that they are read without a copy.
  return Buffer.concat([Buffer.from(line.length % 2 === 0 ? `${line} \n` : `${line}\n`), bytes])
}

/** Null if the file is not whole. */
function decode(file: Buffer): KeptChunk | null {
  const end = file.indexOf(LINE_FEED)
  if (end < 0) return null
  const { sampleRate, length, loudness, ...others } = JSON.parse(file.toString('utf8', 0, end)) as Kept
  if (file.length - end - 1 !== length * Int16Array.BYTES_PER_ELEMENT) return null
  const samples = new Int16Array(file.buffer, file.byteOffset + end + 1, length)
  return { audio: { sampleRate, channels: 1, samples }, loudness, ...others }
}

function requireWhole(file: Buffer): RenderedSpeech {
  const speech = decode(file)
  if (speech === null) throw new Error('a kept chunk of speech is not whole')
  return speech
}

/**
 * Returns a function that names the speech of a chunk by all that decides how it sounds, so that another voice or engine is not
 * mistaken for it.
 * @param engine the endpoint's
 */
export function nameSpeech(engine: unknown): (request: SpeechRequest) => string {
  const voices = new Map<EngineVoice, string>()
  const nameOf = (voice: EngineVoice): string => {
    const { referenceAudio, ...others } = voice
    const known = voices.get(voice) ?? hashOf(JSON.stringify(others), referenceAudio ?? '')
    voices.set(voice, known)
    return known
  }
  return ({ text, voice, language, styleInstruction, speed, seed, loudness, extra }) => {
    const rest = [engine, text, nameOf(voice), language, styleInstruction, speed, seed, loudness, extra]
    return hashOf(JSON.stringify(rest))
  }
}

function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 24)
}
