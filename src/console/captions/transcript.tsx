import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { type WordsQuery, words as wordsQuery } from '../operations.ts'
import { Reason } from '../parts/failure.tsx'
import { langOf } from '../parts/languages.ts'
import type { Heard } from '../parts/player.tsx'
import { useTextLanguage } from '../playground/use-text-language.ts'
import { inPieces, type SpokenSentence, type Timed, wordAt } from './spoken-text.ts'

const TIMINGS = {
  ENGINE: 'Word times by the engine',
  ALIGNED: 'Word times by the pauses in the audio',
  ESTIMATED: 'Estimated word times',
} as const

interface TranscriptProps {
  readonly jobId: string
  readonly heard: Heard
  /** Shown until its words are there. */
  readonly text?: string
  /** The code of its language, where that is known. */
  readonly lang?: string | undefined
  /** Asks for the words at once, instead of when it is first played. */
  readonly isEager?: boolean
}

/** Shows the text along the audio: it marks the word that plays, and a press on a word seeks there. */
export function Transcript({ jobId, heard, text, lang, isEager = false }: TranscriptProps) {
  const [isWanted, setWanted] = useState(isEager)
  const { data, failure, reload } = useQuery(wordsQuery, isWanted ? { jobId } : null)
  useEffect(() => {
    if (heard.isPlaying) setWanted(true)
  }, [heard.isPlaying])
  const job = data?.voiceJob
  const found = useTextLanguage(lang === undefined ? sampleOf(job?.sentences ?? []) : '', null, null)
  if (failure !== null)
    return (
      <p class="faint small-text transcript-note">
        Its words cannot be shown: <Reason failure={failure} isAskedAgain />{' '}
        {failure.retryAt === null && (
          <button type="button" class="button quiet small" onClick={reload}>
            Try again
          </button>
        )}
      </p>
    )
  if (!job?.words || !job.sentences || job.words.length === 0)
    return text === undefined ? null : (
      <p class="take-text transcript-note" dir="auto" lang={lang}>
        {text}
      </p>
    )
  return <Words job={job} words={job.words} sentences={job.sentences} heard={heard} lang={lang ?? langOf(found)} />
}

const sampleOf = (sentences: readonly Timed[]): string =>
  sentences
    .slice(0, 5)
    .map(({ text }) => text)
    .join(' ')

interface WordsProps {
  readonly job: WordsQuery['voiceJob']
  readonly words: readonly Timed[]
  readonly sentences: readonly Timed[]
  readonly heard: Heard
  readonly lang: string | undefined
}

function Words({ job, words, sentences, heard, lang }: WordsProps) {
  const box = useRef<HTMLDivElement>(null)
  const { isPlaying, position, audio, onSeek } = heard
  useEffect(() => {
    const show = (): void => markWord(box.current, wordAt(words, audio.current?.currentTime ?? 0))
    show()
    if (!isPlaying) return
    let frame = requestAnimationFrame(function next() {
      show()
      frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, position, words])
  // Marks are set on the page itself: a long text is not rendered anew for each word.
  const spoken = useMemo(
    () =>
      inPieces(sentences, words).map((sentence) => <Sentence key={sentence.start} {...{ sentence, words, onSeek }} />),
    [sentences, words],
  )
  return (
    <>
      <div class="transcript" ref={box} dir="auto" lang={lang}>
        {spoken}
      </div>
      {job.timing && <p class="faint small-text transcript-note">{TIMINGS[job.timing]}. Press a word to hear it.</p>}
    </>
  )
}

interface SentenceProps {
  readonly sentence: SpokenSentence
  readonly words: readonly Timed[]
  readonly onSeek: (seconds: number) => void
}

/** One stop of the Tab key; a press with a pointer goes to the very word. */
function Sentence({ sentence, words, onSeek }: SentenceProps) {
  const onClick = (event: MouseEvent): void => {
    const word = (event.target as HTMLElement).dataset.word
    onSeek(word === undefined ? sentence.start : (words[Number(word)]?.start ?? sentence.start))
  }
  return (
    <button type="button" class="sentence" onClick={onClick}>
      {sentence.pieces.map(({ text, word }, at) =>
        word === null ? (
          text
        ) : (
          <span key={at} data-word={word}>
            {text}
          </span>
        ),
      )}
    </button>
  )
}

const MARKED = 'now'

function markWord(box: HTMLElement | null, word: number): void {
  const marked = box?.querySelector<HTMLElement>(`.${MARKED}`)
  if (!box || marked?.dataset.word === String(word)) return
  marked?.classList.remove(MARKED)
  const next = box.querySelector<HTMLElement>(`[data-word="${word}"]`)
  next?.classList.add(MARKED)
  if (next) keepInSight(box, next)
}

/** Scrolls the text alone, never the page. */
function keepInSight(box: HTMLElement, word: HTMLElement): void {
  const [inner, outer] = [word.getBoundingClientRect(), box.getBoundingClientRect()]
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3
}
