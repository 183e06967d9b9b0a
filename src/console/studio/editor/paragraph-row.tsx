import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { sentenceOf } from '../../api/words.ts'
import { Icon, PlayGlyph } from '../../parts/icon.tsx'
import type { Paragraph } from '../model/project.ts'
import { type Studio, useStudio } from './context.ts'
import { settingsInWords } from './endpoints.ts'
import { onParagraphInput, onParagraphInsert, onParagraphKey, stepsOf } from './paragraph-keys.ts'
import { ParagraphTools } from './paragraph-tools.tsx'
import { chosenOf, type SpokenState, STATE_WORDS, stateOf, type Take } from './states.ts'

interface RowProps {
  readonly paragraph: Paragraph
}

/** A paragraph as a part of the page: its text, who says it, whether it is spoken. The tools are those of the one with the caret. */
export function ParagraphRow({ paragraph }: RowProps) {
  const studio = useStudio()
  const { editor, hearing } = studio
  const { key, text, speaker, settings } = paragraph
  const takes = editor.takes.of(key).value
  const state = stateOf(takes, editor.isChanged(key, text))
  const isHeard = useComputed(() => hearing.key.value === key).value
  const isActive = useComputed(() => editor.active.value === key).value
  const root = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isHeard && hearing.isAll.peek()) root.current?.scrollIntoView({ block: 'center' })
  }, [isHeard])
  const who = [speaker ?? '', settingsInWords(studio.endpoints(), settings, settings)].filter((one) => one !== '')
  return (
    <article
      ref={root}
      class={`para ${state}${isHeard ? ' heard' : ''}${isActive ? ' active' : ''}`}
      data-key={key}
      aria-current={isHeard || undefined}
    >
      <HearButton {...{ studio, paragraph, state, isHeard }} hasTake={chosenOf(takes) !== undefined} />
      <div class="para-body">
        {who.length > 0 && (
          <p class="para-who" dir="auto">
            {who.join(' · ')}
          </p>
        )}
        <ParagraphText paragraph={paragraph} />
        {state === 'failed' && <Why take={takes[0]} />}
        {isActive && <ParagraphTools paragraph={paragraph} takes={takes} state={state} />}
      </div>
      <StateSign state={state} />
    </article>
  )
}

const Why = ({ take }: { take: Take | undefined }) =>
  take?.error == null ? null : <p class="hint bad">{sentenceOf(take.errorCode ?? '', take.error)}</p>

interface HearButtonProps extends RowProps {
  readonly studio: Studio
  readonly state: SpokenState
  readonly isHeard: boolean
  readonly hasTake: boolean
}

function HearButton({
  studio: { hearing, speak },
  paragraph: { key, text },
  state,
  isHeard,
  hasTake,
}: HearButtonProps) {
  const isPlaying = isHeard && hearing.isPlaying.value
  const isBusy = state === 'waiting' || state === 'speaking'
  const name = text.trim().slice(0, 40)
  if (hasTake)
    return (
      <button
        type="button"
        class="play small"
        aria-label={isPlaying ? `Pause: ${name}` : `Play: ${name}`}
        onClick={() => (isHeard ? hearing.toggle() : hearing.one(key))}
      >
        <PlayGlyph isPlaying={isPlaying} size={12} />
      </button>
    )
  return (
    <button
      type="button"
      class="play small unspoken"
      aria-label={`Speak: ${name}`}
      title="Speak"
      aria-disabled={isBusy || name === ''}
      onClick={() => speak([key])}
    >
      <Icon name="playground" size={14} />
    </button>
  )
}

/** A field that is as high as its text. */
function ParagraphText({ paragraph: { key, text } }: RowProps) {
  const studio = useStudio()
  const { editor } = studio
  const steps = stepsOf(editor)
  const area = useRef<HTMLTextAreaElement>(null)
  const focus = useComputed(() => (editor.focus.value?.key === key ? editor.focus.value : null)).value
  useEffect(() => {
    if (focus === null || area.current === null) return
    area.current.setSelectionRange(focus.caret, focus.caret)
    // The browser brings a caret into sight only when its field gets the focus.
    if (document.activeElement === area.current) area.current.blur()
    area.current.focus()
    editor.focus.value = null
  }, [focus])
  return (
    <div class="para-text" data-text={`${text}\u200B`}>
      <textarea
        ref={area}
        rows={1}
        dir="auto"
        aria-label="Paragraph"
        placeholder="Write here…"
        value={text}
        onFocus={() => {
          editor.active.value = key
        }}
        {...steps}
        onBeforeInput={(event) => {
          steps.onBeforeInput(event)
          onParagraphInsert(studio, key, event)
        }}
        onInput={(event) => onParagraphInput(studio, key, event)}
        onKeyDown={(event) => onParagraphKey(studio, key, event)}
      />
    </div>
  )
}

const SIGNS: Readonly<Record<SpokenState, string>> = {
  none: 'calm',
  waiting: 'calm',
  speaking: 'busy',
  ready: 'good',
  outdated: 'warn',
  deleted: 'warn',
  failed: 'bad',
}
const SHORT: Readonly<Record<SpokenState, string>> = { ...STATE_WORDS, outdated: 'Changed', deleted: 'Deleted' }

const StateSign = ({ state }: { state: SpokenState }) => (
  <p class={`para-state ${SIGNS[state]}`} title={STATE_WORDS[state]}>
    <i class="dot" aria-hidden="true" />
    <span>{SHORT[state]}</span>
  </p>
)
