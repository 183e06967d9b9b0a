import { useEffect, useState } from 'preact/hooks'
import { asApiError } from '../../api/api-error.ts'
import { at } from '../../api/base.ts'
import { useAction } from '../../api/use-action.ts'
import { sentenceOf } from '../../api/words.ts'
import { announce } from '../../parts/announce.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Player } from '../../parts/player.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useStudio } from './context.ts'
import { chosenOf, type Take } from './states.ts'
import { urlOf } from './takes.ts'

interface TakesDialogProps {
  readonly paragraphKey: string
  readonly onClose: () => void
}

/** The takes of a paragraph beside each other: one plays at a time, and one is used. */
export function TakesDialog({ paragraphKey, onClose }: TakesDialogProps) {
  const { editor, speak } = useStudio()
  const takes = editor.takes.of(paragraphKey).value
  const chosen = chosenOf(takes)
  const choose = useAction(async (jobId: string) => {
    await editor.takes.choose(paragraphKey, jobId)
    announce('This take is used now.')
  })
  return (
    <Dialog title="Takes" onClose={onClose} isWide>
      <div class="stack">
        {choose.failure !== null && <Failure failure={choose.failure} />}
        <ol class="take-list">
          {takes.map((take, index) => (
            <TakeItem
              key={take.jobId}
              take={take}
              name={nameOf(takes.length - 1 - index)}
              isUsed={take.jobId === chosen?.jobId}
              isOff={choose.isOff}
              onUse={() => void choose.run(take.jobId)}
            />
          ))}
        </ol>
        <div class="row">
          <button type="button" class="button" onClick={() => speak([paragraphKey])}>
            Speak again
          </button>
        </div>
      </div>
    </Dialog>
  )
}

const ALPHABET = 26
/** A, B, …, Z, AA: the first take is A for good. */
const nameOf = (index: number): string =>
  index < ALPHABET ? String.fromCharCode(65 + index) : `A${String.fromCharCode(65 + (index % ALPHABET))}`

interface TakeItemProps {
  readonly take: Take
  readonly name: string
  readonly isUsed: boolean
  readonly isOff: boolean
  readonly onUse: () => void
}

function TakeItem({ take, name, isUsed, isOff, onUse }: TakeItemProps) {
  const { jobId, status, createdAt, voiceName, isCurrent, error, errorCode } = take
  const { url, look } = useUrl(status === 'COMPLETED' ? jobId : null)
  return (
    <li class={isUsed ? 'take-item used' : 'take-item'}>
      <div class="row">
        <strong>Take {name}</strong>
        {voiceName !== null && <bdi class="muted">{voiceName}</bdi>}
        <span class="faint small-text">
          <Moment at={createdAt} />
        </span>
        {!isCurrent && <span class="pill warn">of an earlier text or style</span>}
        {status !== 'COMPLETED' && status !== null && <StateMark state={status} />}
        <span class="grow" />
        <a class="small-text" href={at(`/jobs/${jobId}`)}>
          Details
        </a>
        {status === 'COMPLETED' && (
          <button
            type="button"
            class={isUsed ? 'button small on' : 'button small'}
            aria-pressed={isUsed}
            aria-disabled={isOff || isUsed}
            onClick={onUse}
          >
            {isUsed ? 'Used' : 'Use this one'}
          </button>
        )}
      </div>
      {status === 'FAILED' && error !== null && <p class="hint bad">{sentenceOf(errorCode ?? '', error)}</p>}
      {status === 'COMPLETED' && <Player src={url} waveOf={jobId} label={`take ${name}`} onError={look} />}
      {status === null && <p class="hint">This take was deleted.</p>}
    </li>
  )
}

/** Signed when it is shown. */
function useUrl(jobId: string | null) {
  const [url, setUrl] = useState<string | null>(null)
  const look = (): void => {
    if (jobId === null) return
    urlOf(jobId).then(setUrl, (error) => announce(asApiError(error).message))
  }
  useEffect(look, [jobId])
  return { url, look }
}
