/** A word or a sentence: seconds of the audio, code points of the text. */
export interface Timed {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly offset: number
  readonly length: number
}

/** A part of a sentence: a word by its number, or what stands between two of them. */
interface Piece {
  readonly text: string
  readonly word: number | null
}

export interface SpokenSentence {
  readonly start: number
  readonly pieces: readonly Piece[]
}

/** How long a word stays marked after its end, where nothing follows. */
const LINGER_SECONDS = 0.4

/** Sentences in pieces, with the numbers of their words. What is between words is as it was submitted. */
export function inPieces(sentences: readonly Timed[], words: readonly Timed[]): readonly SpokenSentence[] {
  let next = 0
  return sentences.map((sentence) => {
    const letters = [...sentence.text]
    const pieces: Piece[] = []
    let at = 0
    for (
      let word = words[next];
      word !== undefined && word.offset < sentence.offset + sentence.length;
      word = words[next]
    ) {
      const from = Math.max(at, word.offset - sentence.offset)
      if (from > at) pieces.push({ text: letters.slice(at, from).join(''), word: null })
      pieces.push({ text: word.text, word: next })
      at = from + word.length
      next++
    }
    if (at < letters.length) pieces.push({ text: letters.slice(at).join(''), word: null })
    return { start: sentence.start, pieces }
  })
}

/** The text that was submitted, from its sentences; blank lines between them are not known to the letter. */
export function textOf(sentences: readonly Timed[]): string {
  let end = 0
  return sentences
    .map(({ text, offset, length }) => {
      const gap = offset - end
      end = offset + length
      return `${gap > 1 ? '\n\n' : ' '.repeat(Math.max(0, gap))}${text}`
    })
    .join('')
    .trim()
}

/** The number of the word that is heard at a time; -1 before the first one, and where it is silent for long. */
export function wordAt(words: readonly Timed[], seconds: number): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? 0) <= seconds) low = middle + 1
    else high = middle
  }
  const word = words[low - 1]
  return word === undefined || seconds > word.end + LINGER_SECONDS ? -1 : low - 1
}
