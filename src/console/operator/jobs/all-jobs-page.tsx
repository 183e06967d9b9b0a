import { useMemo, useState } from 'preact/hooks'
import { timeNow } from '../../api/clock.ts'
import { comebacks } from '../../api/follow.ts'
import { useQuery } from '../../api/use-query.ts'
import { FILTERS, filterOf, isFiltered, STATUSES } from '../../jobs/jobs-filter.ts'
import {
  Choice,
  ClearFilters,
  DroppedNotice,
  FilterChoices,
  JobSearch,
  LinkedFilters,
} from '../../jobs/jobs-toolbar.tsx'
import { ShorterTime } from '../../lists/shorter-time.tsx'
import { useRowWalk } from '../../lists/use-row-letters.ts'
import { Fold } from '../../menus/fold.tsx'
import { allJobs } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { sentence } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Pager } from '../../parts/pager.tsx'
import { pageOf, useAddress } from '../../parts/use-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { AccountField } from './account-field.tsx'
import { AllJobsTable } from './all-jobs-table.tsx'

const PAGE = 50
/** Neither a chip nor a field shows these. */
const CHOSEN = ['status', 'window', 'type', 'error']
const CLEARED = Object.fromEntries([...FILTERS, 'account', 'after', 'before'].map((name) => [name, null]))

/** The jobs of all accounts, or of one, with the true causes of failures. */
export function AllJobsPage() {
  useRowWalk()
  const { query, change } = useAddress()
  // A window such as the last hour is that of the last look.
  const [looks, setLooks] = useState(0)
  const seen = [JSON.stringify(query), looks, comebacks.value]
  const { filter, dropped } = useMemo(() => filterOf(query, timeNow()), seen)
  const page = pageOf(query, PAGE)
  const list = useQuery(allJobs, { filter, ...page, ...(query.account && { account: query.account }) })
  const isNarrow = isFiltered(query) || Boolean(query.account)
  const reload = (): void => {
    setLooks(looks + 1)
    list.reload()
  }
  const actions = (
    <button type="button" class="button" onClick={reload}>
      <Icon name="reload" /> Refresh
    </button>
  )
  return (
    <OperatorScreen title={query.account ? 'Jobs of one account' : 'Jobs of all accounts'} tab="jobs" actions={actions}>
      <AllJobsToolbar isNarrow={isNarrow} />
      <DroppedNotice names={dropped} />
      <ShorterTime failure={list.failure} />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ allJobs: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <NoJobs isNarrow={isNarrow} />
          ) : (
            <>
              <AllJobsTable rows={edges.map(({ node }) => node)} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
    </OperatorScreen>
  )
}

const NoJobs = ({ isNarrow }: { isNarrow: boolean }) => (
  <Empty title={isNarrow ? 'No job matches' : 'Nothing has been submitted yet'}>
    {isNarrow
      ? 'There may be jobs, but none with all of these properties.'
      : 'The jobs of all accounts are listed here.'}
  </Empty>
)

function AllJobsToolbar({ isNarrow }: { isNarrow: boolean }) {
  const { query, change } = useAddress()
  return (
    <div class="toolbar filters">
      <AccountField key={query.account ?? ''} />
      <JobSearch key={`search ${query.search ?? ''}`} jobsPath="/operator/jobs" />
      <Fold set={CHOSEN.filter((name) => query[name]).length}>
        <Choice
          name="status"
          label="Any status"
          options={STATUSES.map((status) => [status.toLowerCase(), sentence(status)])}
        />
        <FilterChoices />
      </Fold>
      <LinkedFilters />
      {isNarrow && <ClearFilters onClear={() => change(CLEARED)} />}
    </div>
  )
}
