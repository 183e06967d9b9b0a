import { AuditList } from '../../audit/audit-list.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { AccountField } from '../jobs/account-field.tsx'
import { OperatorScreen } from '../operator-screen.tsx'

/** Changes in all accounts and of the installation, or in one account. */
export function AllAuditPage() {
  const { query } = useAddress()
  return (
    <OperatorScreen title="Audit log" tab="audit">
      <AuditList isOperators>
        <AccountField key={query.account ?? ''} />
      </AuditList>
    </OperatorScreen>
  )
}
