import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { deliveries, sendTest, webhookSettings } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { LastDay } from './last-day.tsx'
import { LatestDeliveries } from './latest-deliveries.tsx'
import { Secrets } from './secrets.tsx'
import { UrlForm } from './url-form.tsx'
import { VerifyCard } from './verify-card.tsx'

const LATEST = 5

/** Where deliveries go, what signs them, what became of those of the last day, and the last few of them. */
export function WebhooksPage() {
  const settings = useQuery(webhookSettings, {})
  const latest = useQuery(deliveries, { first: LATEST })
  const { route } = useLocation()
  const test = useAction(async () => {
    const { sendTestWebhook } = await ask(sendTest, {})
    route(at(`/webhooks/deliveries/${sendTestWebhook.id}`))
  })
  const hasUrl = Boolean(settings.data?.webhook.url)
  const last = latest.data?.webhookDeliveries.edges[0]?.node
  const sending = (
    <button type="button" class="button" aria-disabled={!hasUrl || test.isOff} onClick={() => test.run()}>
      <Icon name="send" /> Send a test
    </button>
  )
  return (
    <Page title="Webhooks" actions={sending}>
      {test.failure !== null && <Failure failure={test.failure} />}
      <Load query={settings} skeleton={<SkeletonRows rows={3} />}>
        {({ webhook }) => (
          <div class="halves">
            <UrlForm key={webhook.url ?? ''} url={webhook.url ?? ''} onSaved={settings.reload} />
            <Secrets
              secrets={webhook.secrets}
              isUnreadable={last?.outcome === 'secret_unreadable'}
              isCurrent={!settings.isLoading && settings.failure === null}
              onChange={settings.reload}
            />
          </div>
        )}
      </Load>
      {last && <LastDay />}
      <LatestDeliveries list={latest} action={sending} hasUrl={hasUrl} />
      <VerifyCard />
    </Page>
  )
}
