import type { Entry } from '../lexicon/entries.ts'
import { Failure } from '../parts/failure.tsx'
import { count } from '../parts/format.ts'
import { langOf } from '../parts/languages.ts'
import { type ReadPart, readParts } from './read-parts.ts'
import { type ReadingQuestion, useReading } from './use-reading.ts'
import './reading.css'

const TITLE = 'reading-title'
const HINT = 'reading-hint'

interface ReadingPanelProps extends ReadingQuestion {
  /** How often the lexicon was changed from here. */
  readonly changes: number
  readonly onWord: (word: Entry) => void
}

/** The text as it will be read. A press on a part that is spoken in other words puts it into the lexicon. */
export function ReadingPanel({ changes, onWord, ...question }: ReadingPanelProps) {
  const { shown, failure, isEmpty, retry } = useReading(question, changes)
  return (
    <section id="reading" class="reading" aria-labelledby={TITLE} aria-busy={!isEmpty && shown?.text !== question.text}>
      <header class="row">
        <h2 id={TITLE}>How it will be read</h2>
        {shown !== null && <span class="chip">{shown.reading.language}</span>}
      </header>
      {failure !== null && <Failure failure={failure} onRetry={retry} isAskedAgain />}
      {isEmpty && <p class="hint">Write a text first.</p>}
      {shown !== null && (
        <ReadText
          parts={readParts(shown.text, shown.reading.tokens)}
          language={shown.reading.language}
          onWord={({ written, spoken }) =>
            onWord({ language: shown.reading.language, grapheme: written.trim(), alias: spoken ?? '' })
          }
        />
      )}
    </section>
  )
}

interface ReadTextProps {
  readonly parts: readonly ReadPart[]
  readonly language: string
  readonly onWord: (part: ReadPart) => void
}

const ReadText = ({ parts, language, onWord }: ReadTextProps) => (
  <>
    <p id={HINT} class="hint" role="status">
      {hintFor(parts.filter(({ spoken }) => spoken !== null).length)}
    </p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <div class="reading-text" dir="auto" lang={langOf(language)} tabIndex={0}>
      {parts.map((part) =>
        part.spoken === null ? (
          part.written
        ) : (
          <button key={part.start} type="button" class="read-part" aria-describedby={HINT} onClick={() => onWord(part)}>
            <span class="read-written">{part.written}</span>
            <span lang="en">
              <span class="unseen"> is read as </span>
              {part.spoken === '' && <em>silence</em>}
            </span>
            {part.spoken !== '' && <span class="read-spoken">{part.spoken}</span>}
          </button>
        ),
      )}
    </div>
  </>
)

function hintFor(parts: number): string {
  if (parts === 0) return 'Everything is spoken as it is written.'
  const marked = parts === 1 ? '1 part is' : `${count(parts)} parts are`
  return `${marked} spoken in other words. Press one to put it into the lexicon.`
}
