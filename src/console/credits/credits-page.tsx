import { useEffect, useMemo } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { Choice, ClearFilters, DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import { credits as creditsQuery } from '../operations.ts'
import { Tile } from '../overview/tile.tsx'
import { Empty } from '../parts/empty.tsx'
import { count, shortCount } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { balance } from '../shell/balance.ts'
import { ExportMenu } from '../windows/export-menu.tsx'
import { rangeOf, WINDOW_OPTIONS } from '../windows/time-window.ts'
import { creditFilterOf, KINDS } from './credit-filter.ts'
import { LedgerTable } from './ledger-table.tsx'

const PAGE = 50
const SPENT_DAYS = 30
const CLEARED = { kind: null, window: null, after: null, before: null }
const EXPORTED = ['this-month', 'last-month']

/** The balance, how fast it goes, and every change of it. */
export function CreditsPage() {
  const { query, change } = useAddress()
  const { filter, dropped } = useMemo(() => creditFilterOf(query, Date.now()), [JSON.stringify(query)])
  const spentIn = useMemo(() => ({ createdAt: rangeOf(`${SPENT_DAYS}d`, Date.now()) }), [])
  const list = useQuery(creditsQuery, { ...pageOf(query, PAGE), ...filter, spentIn })
  const isNarrow = Boolean(query.kind || query.window)
  const credits = list.data?.account.credits
  useEffect(() => {
    if (credits !== undefined) balance.value = credits
  }, [credits])
  return (
    <Page title="Credits" actions={<Exports />}>
      <Figures spent={list.data?.spent[0]?.credits ?? 0} />
      <div class="toolbar">
        <Choice name="kind" label="Any kind" options={KIND_OPTIONS} />
        <Choice name="window" label="Any time" options={WINDOW_OPTIONS} />
        {isNarrow && <ClearFilters onClear={() => change(CLEARED)} />}
      </div>
      <DroppedNotice names={dropped} />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ creditEntries: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title={isNarrow ? 'No entry matches' : 'No credits yet'}>
              {isNarrow ? 'Choose a longer time, or any kind.' : 'Your operator grants the first ones.'}
            </Empty>
          ) : (
            <>
              <LedgerTable entries={edges.map(({ node }) => node)} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
    </Page>
  )
}

const KIND_OPTIONS = Object.entries(KINDS).map(([kind, [name]]) => [kind.toLowerCase(), name] as const)

const Exports = () => <ExportMenu file="/ledger.csv" of="Ledger" windows={EXPORTED} isWholeOffered />

/** What is left, what went lately, and how long the rest lasts at that pace. */
function Figures({ spent }: { spent: number }) {
  const days = spent > 0 ? Math.floor((balance.value / spent) * SPENT_DAYS) : null
  return (
    <div class="tiles">
      <Tile
        name="Balance"
        value={count(balance.value)}
        note={balance.value > 0 ? 'Your operator grants more.' : 'Ask your operator for credits.'}
      />
      <Tile
        name={`Spent, last ${SPENT_DAYS} days`}
        value={shortCount(spent)}
        note={`${shortCount(Math.round(spent / SPENT_DAYS))} a day`}
      />
      <Tile
        name="Lasts for about"
        value={days === null ? '–' : days > 999 ? 'over 999 days' : `${count(days)} ${days === 1 ? 'day' : 'days'}`}
        note={days === null ? 'nothing was spent lately' : 'at that pace'}
      />
    </div>
  )
}
