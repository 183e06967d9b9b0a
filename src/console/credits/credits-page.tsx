import { useEffect, useMemo } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { comebacks } from '../api/follow.ts'
import { type Loaded, useQuery } from '../api/use-query.ts'
import { Choice, ClearFilters, DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import { LinkedEnds } from '../lists/linked-ends.tsx'
import { useRowWalk } from '../lists/use-row-letters.ts'
import { type CreditsQuery, credits as creditsQuery, spending as spendingQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'
import { isFirst, Load, Skeleton, SkeletonRows } from '../parts/load.tsx'
import { focusHeading, Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { balance } from '../shell/balance.ts'
import { ExportMenu } from '../windows/export-menu.tsx'
import { OwnWindow } from '../windows/own-window.tsx'
import { CREDIT_FILTERS, CREDIT_WINDOWS, creditFilterOf, DEFAULT_WINDOW, KINDS } from './credit-filter.ts'
import { LedgerTable } from './ledger-table.tsx'
import { SpendingTiles } from './spending-tiles.tsx'
import { daysOf, UsageCard, useUsage } from './usage-card.tsx'

const PAGE = 50
const CLEARED = Object.fromEntries([...CREDIT_FILTERS, 'after', 'before'].map((name) => [name, null]))
const ENDS = { from: null, to: null }
const EXPORTED = ['this-month', 'last-month']

/** Shows what was spent and by whom, where the month leads, and every change of the balance. */
export function CreditsPage() {
  useRowWalk()
  const { query } = useAddress()
  const back = comebacks.value
  const { now, filter, dropped } = useMemo(() => {
    const now = timeNow()
    return { now, ...creditFilterOf(query, now) }
  }, [JSON.stringify(query), back])
  const spending = useQuery(spendingQuery, {})
  const days = daysOf(filter.createdAt, now)
  const used = useUsage(days)
  const list = useQuery(creditsQuery, { ...pageOf(query, PAGE), ...filter })
  useKnownBalance(list.data?.account.credits)
  const reload = (): void => {
    list.reload()
    spending.reload()
  }
  return (
    <Page title="Usage and credits" actions={<Exports />}>
      {/* First, so that nothing moves down that was there before. */}
      {isFirst(spending) ? (
        <Skeleton>
          <SkeletonRows rows={15} />
        </Skeleton>
      ) : (
        <>
          {spending.data && <LimitNotice of={spending.data.account} />}
          <SpendingTiles data={spending.data} isFailed={spending.failure !== null} />
          <Windows />
          <DroppedNotice names={dropped} />
          <UsageCard query={used} days={days} />
          <Ledger list={list} onReload={reload} />
        </>
      )}
    </Page>
  )
}

function useKnownBalance(credits: number | undefined): void {
  useEffect(() => {
    if (credits !== undefined) balance.value = credits
  }, [credits])
}

interface NewerEntriesProps {
  /** The balance that came with the entries. */
  readonly loaded: number | undefined
  readonly onReload: () => void
}

/** Above the first page, once the balance has changed. */
function NewerEntries({ loaded, onReload }: NewerEntriesProps) {
  const { after, before } = useAddress().query
  if (after || before || loaded === balance.value) return null
  const onClick = (): void => {
    focusHeading()
    onReload()
  }
  return (
    <button type="button" class="newer" onClick={onClick}>
      Newer entries
    </button>
  )
}

const Windows = () => (
  <div class="toolbar">
    <Choice name="window" label="Time" none={DEFAULT_WINDOW} options={CREDIT_WINDOWS} clears={ENDS} />
    <OwnWindow />
    <LinkedEnds />
  </div>
)

const KIND_OPTIONS = Object.entries(KINDS).map(([kind, [name]]) => [kind.toLowerCase(), name] as const)

interface LedgerProps {
  readonly list: Loaded<CreditsQuery>
  readonly onReload: () => void
}

/** The changes of the balance in the time of the page, newest first. */
function Ledger({ list, onReload }: LedgerProps) {
  const { query, change } = useAddress()
  const isNarrow = CREDIT_FILTERS.some((name) => query[name])
  const clear = isNarrow && <ClearFilters onClear={() => change(CLEARED)} />
  return (
    <section class="below-cards" aria-labelledby="ledger">
      <div class="toolbar">
        <h2 id="ledger">Changes of the balance</h2>
        <span class="grow" />
        <Choice name="kind" label="Any kind" options={KIND_OPTIONS} />
        {clear}
      </div>
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ account: { credits }, creditEntries: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title={isNarrow ? 'No entry matches' : 'No change in this time'} action={clear}>
              {isNarrow ? 'Choose a longer time, or any kind.' : 'Choose a longer time. Your operator adds credits.'}
            </Empty>
          ) : (
            <>
              <NewerEntries loaded={credits} onReload={onReload} />
              <LedgerTable entries={edges.map(({ node }) => node)} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
    </section>
  )
}

const Exports = () => <ExportMenu file="/ledger.csv" of="Ledger" windows={EXPORTED} isWholeOffered />
