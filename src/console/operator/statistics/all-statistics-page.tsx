import { useMemo } from 'preact/hooks'
import { useAddress } from '../../parts/use-address.ts'
import { Statistics } from '../../statistics/statistics-page.tsx'
import { AccountField } from '../jobs/account-field.tsx'
import { OperatorScreen } from '../operator-screen.tsx'

/** Shows the figures of all accounts, or of one. */
export function AllStatisticsPage() {
  const { account } = useAddress().query
  const whose = useMemo(() => (account ? { account } : { all: true }), [account])
  return (
    <OperatorScreen title={account ? 'Statistics of one account' : 'Statistics of all accounts'} tab="statistics">
      <div class="toolbar filters">
        <AccountField key={account ?? ''} />
      </div>
      <Statistics whose={whose} />
    </OperatorScreen>
  )
}
