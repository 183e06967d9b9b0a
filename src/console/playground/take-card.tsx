import { useEffect, useRef } from 'preact/hooks'
import { at } from '../api/base.ts'
import { useEvery } from '../api/use-every.ts'
import { useFreshUrls } from '../api/use-fresh-urls.ts'
import { Transcript } from '../captions/transcript.tsx'
import { costText } from '../jobs/cost-text.ts'
import { NO_TEXT } from '../jobs/job-name.ts'
import { JobError, JobState } from '../jobs/job-state.tsx'
import { mayRetry } from '../jobs/may-retry.ts'
import { UnservedPool } from '../jobs/unserved-pool.tsx'
import { clockTime, duration, initial } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { langOf } from '../parts/languages.ts'
import { focusHeading } from '../parts/page.tsx'
import { Player } from '../parts/player.tsx'
import { CancelButton } from './cancel-button.tsx'
import { DownloadMenu } from './download-menu.tsx'
import { ReferenceButton } from './reference-button.tsx'
import { RetryButton } from './retry-button.tsx'
import { SLOW_MS, SlowNotice } from './slow-notice.tsx'
import { dropTake, refresh, refreshPlace, type Take, takes } from './takes.ts'

/** The page asks for the job's place in the queue as often as a waiting take may need it. */
const PLACE_MS = SLOW_MS

interface TakeCardProps {
  readonly take: Take
  /** The first of the shown takes. */
  readonly isFirst: boolean
  /** It was spoken while they are shown. */
  readonly isNewest: boolean
}

export function TakeCard({ take, isFirst, isNewest }: TakeCardProps) {
  const { progress, audio } = take
  const isCompleted = progress?.status === 'COMPLETED'
  // Its place in the queue depends on the jobs of others, whose changes are in no message.
  useEvery(PLACE_MS, isFirst && progress?.status === 'QUEUED', () => refreshPlace(take.jobId))
  useFreshUrls(isCompleted ? audio : null, () => refresh(take.jobId))
  const root = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isNewest) root.current?.scrollIntoView({ block: 'nearest' })
  }, [isNewest])
  return (
    <article ref={root} class="take card" aria-label={`${nameOf(take)}, by ${take.voiceName}`}>
      <TakeHead take={take} />
      {progress !== null && <UnservedPool job={progress} />}
      <SlowNotice take={take} />
      {!isCompleted && (
        <p class="take-text" dir="auto" lang={langOfTake(take)}>
          {nameOf(take)}
        </p>
      )}
      {progress?.status === 'FAILED' ? <JobError job={progress} /> : <TakeSound {...{ take, isFirst, isNewest }} />}
    </article>
  )
}

function TakeSound({ take, isFirst, isNewest }: TakeCardProps) {
  const { progress, audio } = take
  const isCompleted = progress?.status === 'COMPLETED'
  const finished = isCompleted ? (audio?.wav ?? null) : null
  // A browser has six connections to a service: one waits for the first sound of the newest take, none for those of others.
  const live = isFirst ? (audio?.liveUrl ?? null) : null
  return (
    <Player
      src={finished ?? live}
      waveOf={isCompleted ? take.jobId : null}
      label={`the speech by ${take.voiceName}`}
      isAutoplay={isNewest}
      onError={() => refresh(take.jobId)}
    >
      {(heard) =>
        isCompleted && (
          <Transcript
            jobId={take.jobId}
            heard={heard}
            text={nameOf(take)}
            lang={langOfTake(take)}
            isEager={take.text === '' && hasText(take)}
          />
        )
      }
    </Player>
  )
}

const TakeHead = ({ take }: { take: Take }) => (
  <header class="take-head">
    <span class="voice-face small" aria-hidden="true" data-hue={hueOf(take.voice)}>
      {initial(take.voiceName)}
    </span>
    <strong>{take.voiceName}</strong>
    <time class="faint small-text" dateTime={take.at}>
      {clockTime(take.at)}
    </time>
    <TakeState take={take} />
    <span class="grow" />
    <TakeActions take={take} />
  </header>
)

function TakeState({ take: { progress } }: { take: Take }) {
  if (progress?.status !== 'COMPLETED') return <JobState job={progress ?? { status: 'QUEUED' }} />
  const { audioMs, runMs } = { audioMs: null, ...progress }
  return (
    <span class="faint small-text figure">
      {duration(audioMs)} of audio · made in {duration(runMs)} · {costText(progress)}
    </span>
  )
}

function TakeActions({ take }: { take: Take }) {
  const { progress } = take
  const status = progress?.status
  const isOver = status === 'COMPLETED' || status === 'FAILED'
  return (
    <>
      {!isOver && <CancelButton jobId={take.jobId} isCharged={status === 'PROCESSING'} />}
      {progress !== null && mayRetry(progress) && <RetryButton take={take} />}
      {status === 'COMPLETED' && take.audio !== null && (
        <DownloadMenu jobId={take.jobId} audio={take.audio} name={fileName(take)} />
      )}
      {status === 'COMPLETED' && typeof take.audio?.wav === 'string' && (
        <ReferenceButton url={take.audio.wav} name={fileName(take)} text={take.text} />
      )}
      <a
        class="button quiet small only-icon"
        href={at(`/jobs/${take.jobId}`)}
        aria-label="Open the job"
        title="Open the job"
      >
        <Icon name="out" size={14} />
      </a>
      {isOver && (
        <button
          type="button"
          class="button quiet small only-icon"
          aria-label="Hide this job here"
          title="Hide this job here"
          onClick={() => remove(take.jobId)}
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </>
  )
}

/** The whole text where this page has it. */
const nameOf = ({ text, excerpt }: Take): string => text || excerpt || NO_TEXT

const hasText = (take: Take): boolean => nameOf(take) !== NO_TEXT

function remove(jobId: string): void {
  dropTake(jobId)
  const next = document.getElementById('takes')
  if (next === null || takes.peek().length === 0) focusHeading()
  else next.focus()
}

const langOfTake = (take: Take): string | undefined =>
  hasText(take) ? (langOf(take.inputs.language) ?? langOf(take.language)) : undefined

/** `aria_2026-11-22_09-05-00` */
const fileName = ({ voice, at }: Take): string => `${voice}_${at.slice(0, 19).replace('T', '_').replaceAll(':', '-')}`

/** One of six colours, always the same for a voice. */
export const hueOf = (voice: string): number => [...voice].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 6
