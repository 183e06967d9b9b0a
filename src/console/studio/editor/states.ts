import type { Paragraph } from '../model/project.ts'

/** A job that spoke a paragraph. */
export interface Take {
  readonly jobId: string
  /** Null: the job was deleted. */
  readonly status: string | null
  readonly error: string | null
  readonly errorCode: string | null
  readonly audioMs: number | null
  readonly voiceName: string | null
  readonly createdAt: string
  /** It plays and is exported. */
  readonly isChosen: boolean
  /** It was spoken from the text and settings that the service has. */
  readonly isCurrent: boolean
}

export type SpokenState = 'none' | 'waiting' | 'speaking' | 'ready' | 'outdated' | 'deleted' | 'failed'

/** How a paragraph stands. `isChanged`: its text is not the one that the service has. @param takes newest first */
export function stateOf(takes: readonly Take[], isChanged: boolean): SpokenState {
  const [newest] = takes
  if (newest === undefined) return 'none'
  if (newest.status === 'QUEUED') return 'waiting'
  if (newest.status === 'PROCESSING') return 'speaking'
  const chosen = chosenOf(takes)
  if (newest.status === 'FAILED' && newest.isCurrent && !isChanged && !(chosen?.isCurrent ?? false)) return 'failed'
  if (chosen === undefined) return withoutSound(takes)
  return chosen.isCurrent && !isChanged ? 'ready' : 'outdated'
}

/** The service chooses one wherever there is a recording: of completed takes without one the files were deleted. */
function withoutSound(takes: readonly Take[]): SpokenState {
  if (takes[0]?.status === 'FAILED') return 'failed'
  return takes.some(({ status }) => status === 'COMPLETED') ? 'deleted' : 'none'
}

/** The take that is heard. */
export const chosenOf = (takes: readonly Take[]): Take | undefined => takes.find(({ isChosen }) => isChosen)

/** A job has changed: a completed one takes over. */
export const withJob = (takes: readonly Take[], changed: Pick<Take, 'jobId'> & Partial<Take>): readonly Take[] => {
  const isDone = changed.status === 'COMPLETED'
  return takes.map((take) => {
    if (take.jobId !== changed.jobId) return isDone && take.isChosen ? { ...take, isChosen: false } : take
    return { ...take, ...changed, ...(isDone && { isChosen: true }) }
  })
}

/** Takes that have changed here since an answer was asked for: only what these changes do not tell is from the answer. */
export const withAnswer = (takes: readonly Take[], answer: readonly Take[]): readonly Take[] => [
  ...takes.map((take) => {
    const same = answer.find(({ jobId }) => jobId === take.jobId)
    return same === undefined ? take : { ...take, isCurrent: same.isCurrent }
  }),
  ...answer.filter(({ jobId }) => takes.every((take) => take.jobId !== jobId)),
]

/** The one before or behind another. @param order as it is now @param before as it was when the other was still there */
export function neighbourOf(
  key: string,
  by: 1 | -1,
  order: readonly string[],
  before: readonly string[],
): string | undefined {
  const place = order.indexOf(key)
  if (place >= 0) return order[place + by]
  const then = before.indexOf(key)
  const around = by > 0 ? before.slice(then + 1) : before.slice(0, Math.max(0, then)).toReversed()
  return then < 0 ? undefined : around.find((one) => order.includes(one))
}

export const STATE_WORDS: Readonly<Record<SpokenState, string>> = {
  none: 'Not spoken',
  waiting: 'Waiting',
  speaking: 'Speaking',
  ready: 'Spoken',
  outdated: 'Changed since it was spoken',
  deleted: 'Its audio was deleted',
  failed: 'Failed',
}

/** Says if "Speak what is missing" speaks a paragraph. */
export const isMissing = (state: SpokenState, { text }: Pick<Paragraph, 'text'>): boolean =>
  text.trim() !== '' && ['none', 'outdated', 'deleted', 'failed'].includes(state)
