import { at } from '../../api/base.ts'
import { count } from '../../parts/format.ts'
import { jobsAddress } from '../../statistics/jobs-address.ts'
import { FailureCard } from './failure-card.tsx'
import type { FailureGroup } from './failure-groups.ts'
import type { FailureWindow } from './failure-window.ts'

const ALL = { all: true }
/** The others are counted in a line. */
const SHOWN = 50

interface FailureCardsProps {
  readonly window: FailureWindow
  /** The largest first. */
  readonly groups: readonly FailureGroup[]
  readonly steps: readonly number[]
  readonly formatTime: (ms: number) => string
}

/** The largest groups, a card each, and how much the others are. */
export const FailureCards = ({ window, groups, steps, formatTime }: FailureCardsProps) => (
  <>
    {groups.slice(0, SHOWN).map((group) => (
      <FailureCard
        key={`${group.errorCode} ${group.endpointKey}`}
        {...{ group, steps, formatTime }}
        href={at(jobsAddress(ALL, window, { error: group.errorCode.toLowerCase(), endpoint: group.endpointKey }))}
      />
    ))}
    <Others groups={groups.slice(SHOWN)} />
  </>
)

function Others({ groups }: { groups: readonly FailureGroup[] }) {
  if (groups.length === 0) return null
  const jobs = groups.reduce((sum, group) => sum + group.jobs, 0)
  return (
    <p class="muted">
      {`The ${SHOWN} largest groups are shown. ${count(groups.length)} more, by error and endpoint, have ${count(jobs)} failed ${jobs === 1 ? 'job' : 'jobs'}.`}
    </p>
  )
}
