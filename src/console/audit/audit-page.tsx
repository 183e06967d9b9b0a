import { Page } from '../parts/page.tsx'
import { AuditList } from './audit-list.tsx'

/** Shows each change of the account with its key or user and its time. */
export const AuditPage = () => (
  <Page title="Audit log">
    <p class="prose page-lead">
      Every change of keys, people, webhooks and credits. It contains no secrets and no texts.
    </p>
    <AuditList />
  </Page>
)
