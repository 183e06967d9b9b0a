import { Page } from '../parts/page.tsx'
import { AuditList } from './audit-list.tsx'

/** What was changed in the account, by which key or user, and when. */
export const AuditPage = () => (
  <Page title="Audit log">
    <p class="prose page-lead">
      Every change of keys, people, webhooks and credits. It contains no secrets and no texts.
    </p>
    <AuditList />
  </Page>
)
