import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { type Loaded, useQuery } from '../api/use-query.ts'
import {
  type DeliveriesQuery,
  deliveries,
  sendTest,
  type WebhookSettingsQuery,
  webhookSettings,
} from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { Icon } from '../parts/icon.tsx'
import { isFirst, Load, Skeleton, SkeletonRows } from '../parts/load.tsx'
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
  const sending = (
    <button type="button" class="button" aria-disabled={!hasUrl || test.isOff} onClick={() => test.run()}>
      <Icon name="send" /> Send a test
    </button>
  )
  return (
    <Page title="Webhooks" actions={sending}>
      {test.failure !== null && <Failure failure={test.failure} />}
      <Parts settings={settings} latest={latest} sending={sending} />
    </Page>
  )
}

interface PartsProps {
  readonly settings: Loaded<WebhookSettingsQuery>
  readonly latest: Loaded<DeliveriesQuery>
  readonly sending: ComponentChildren
}

/** They come together, so that nothing moves down that was there before. */
function Parts({ settings, latest, sending }: PartsProps) {
  const last = latest.data?.webhookDeliveries.edges[0]?.node
  if ([settings, latest].some(isFirst))
    return (
      <Skeleton>
        <SkeletonRows rows={15} />
      </Skeleton>
    )
  return (
    <>
      <Load query={settings} skeleton={null}>
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
      <LatestDeliveries list={latest} action={sending} hasUrl={Boolean(settings.data?.webhook.url)} />
      <VerifyCard />
    </>
  )
}
