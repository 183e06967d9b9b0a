import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { comebacks } from '../api/follow.ts'
import { useQuery } from '../api/use-query.ts'
import { Choice, ClearFilters, DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import { LinkedEnds } from '../lists/linked-ends.tsx'
import { useRowWalk } from '../lists/use-row-letters.ts'
import { credits as creditsQuery, type SpentQuery, spent as spentQuery } from '../operations.ts'
import { Tile } from '../overview/tile.tsx'
import { Empty } from '../parts/empty.tsx'
import { count, shortCount } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { monthUse } from '../parts/month-use.tsx'
import { focusHeading, Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { balance } from '../shell/balance.ts'
import { ExportMenu } from '../windows/export-menu.tsx'
import { OwnWindow } from '../windows/own-window.tsx'
import { rangeOf, WINDOW_OPTIONS } from '../windows/time-window.ts'
import { CREDIT_FILTERS, creditFilterOf, KINDS } from './credit-filter.ts'
import { DaySums } from './day-sums.tsx'
import { LedgerTable } from './ledger-table.tsx'

const PAGE = 50
const SPENT_DAYS = 30
const DAY_MS = 86_400_000
const CLEARED = Object.fromEntries([...CREDIT_FILTERS, 'after', 'before'].map((name) => [name, null]))
const ENDS = { from: null, to: null }
const EXPORTED = ['this-month', 'last-month']

/** The balance, how fast it goes, and every change of it. */
export function CreditsPage() {
  useRowWalk()
  const { query, change } = useAddress()
  const back = comebacks.value
  const { filter, dropped } = useMemo(() => creditFilterOf(query, timeNow()), [JSON.stringify(query), back])
  const lately = useMemo(() => ({ createdAt: rangeOf(`${SPENT_DAYS}d`, timeNow()) ?? {} }), [back])
  const list = useQuery(creditsQuery, { ...pageOf(query, PAGE), ...filter })
  const spent = useQuery(spentQuery, { filter: lately })
  const isNarrow = CREDIT_FILTERS.some((name) => query[name])
  const credits = list.data?.account.credits
  useKnownBalance(credits)
  const reload = (): void => {
    list.reload()
    spent.reload()
  }
  const clear = <ClearFilters onClear={() => change(CLEARED)} />
  return (
    <Page title="Credits" actions={<Exports />}>
      <Figures lately={spent.data} isFailed={spent.failure !== null} />
      <Toolbar>{isNarrow && clear}</Toolbar>
      <DroppedNotice names={dropped} />
      <DaySums range={filter.createdAt ?? lately.createdAt} />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ creditEntries: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title={isNarrow ? 'No entry matches' : 'No credits yet'} action={isNarrow && clear}>
              {isNarrow ? 'Choose a longer time, or any kind.' : 'Your operator grants the first ones.'}
            </Empty>
          ) : (
            <>
              <NewerEntries loaded={credits} onReload={reload} />
              <LedgerTable entries={edges.map(({ node }) => node)} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
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

const KIND_OPTIONS = Object.entries(KINDS).map(([kind, [name]]) => [kind.toLowerCase(), name] as const)

const Toolbar = ({ children }: { children: ComponentChildren }) => (
  <div class="toolbar">
    <Choice name="kind" label="Any kind" options={KIND_OPTIONS} />
    <Choice name="window" label="Any time" options={WINDOW_OPTIONS} clears={ENDS} />
    <OwnWindow />
    <LinkedEnds />
    {children}
  </div>
)

const Exports = () => <ExportMenu file="/ledger.csv" of="Ledger" windows={EXPORTED} isWholeOffered />

interface FiguresProps {
  /** Null until it is answered. */
  readonly lately: SpentQuery | null
  readonly isFailed: boolean
}

/** Shows the balance, the recent use, and how long the rest lasts at that pace. */
function Figures({ lately, isFailed }: FiguresProps) {
  const spent = lately === null ? null : (lately.jobStats[0]?.credits ?? 0)
  const aDay = lately === null || spent === null ? 0 : spent / daysCounted(lately.account.createdAt, timeNow())
  const days = aDay > 0 ? Math.floor(balance.value / aDay) : null
  const unknown = isFailed ? 'could not be counted' : 'is being counted'
  return (
    <div class="tiles">
      <Tile
        name="Balance"
        value={count(balance.value)}
        note={balance.value > 0 ? 'Your operator grants more.' : 'Ask your operator for credits.'}
      />
      <Tile
        name={`Spent, last ${SPENT_DAYS} days`}
        value={spent === null ? '–' : shortCount(spent)}
        note={spent === null ? unknown : `${shortCount(Math.round(aDay))} a day`}
      />
      <Tile
        name="Lasts for about"
        value={days === null ? '–' : days > 999 ? 'over 999 days' : `${count(days)} ${days === 1 ? 'day' : 'days'}`}
        note={spent === null ? unknown : days === null ? 'nothing was spent lately' : 'at that pace'}
      />
      <Tile
        name="This month"
        value={lately === null ? '–' : monthUse(lately.account)}
        note={lately === null ? unknown : monthNote(lately.account.monthlyLimit)}
      />
    </div>
  )
}

const monthNote = (limit: number | null | undefined): string =>
  limit == null ? 'no monthly limit' : 'Your operator sets the limit.'

/** Counts the last days since the account was made, the first one whole. */
const daysCounted = (createdAt: string, now: number): number =>
  Math.min(SPENT_DAYS, Math.max(1, (now - Date.parse(createdAt)) / DAY_MS))
