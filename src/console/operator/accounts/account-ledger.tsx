import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '../../api/use-query.ts'
import { LedgerTable } from '../../credits/ledger-table.tsx'
import { accountLedger } from '../../operations.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Pager } from '../../parts/pager.tsx'
import { pageOf } from '../../parts/use-address.ts'

const PAGE = 10

interface AccountLedgerProps {
  readonly id: string
  /** How often its balance was changed here. */
  readonly looks: number
}

/** The changes of an account's balance, the latest first, page by page to the first one. */
export function AccountLedger({ id, looks }: AccountLedgerProps) {
  const [place, setPlace] = useState<Parameters<typeof pageOf>[0]>({})
  const query = useQuery(accountLedger, { account: id, ...pageOf(place, PAGE) })
  useEffect(() => {
    if (looks > 0) query.reload()
  }, [looks])
  return (
    <section class="card">
      <div class="card-head">
        <h2>Latest changes of the balance</h2>
      </div>
      <Load query={query} skeleton={<SkeletonRows rows={3} />}>
        {({ creditEntries: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <p class="card-body muted">None.</p>
          ) : (
            <>
              <LedgerTable entries={edges.map(({ node }) => node)} jobsPath="/operator/jobs" />
              <Pager
                pageInfo={pageInfo}
                onMove={({ after, before }) => setPlace({ ...(after && { after }), ...(before && { before }) })}
              />
            </>
          )
        }
      </Load>
    </section>
  )
}
