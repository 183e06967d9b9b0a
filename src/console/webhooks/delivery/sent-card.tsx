import { useState } from 'preact/hooks'
import { useQuery } from '../../api/use-query.ts'
import { deliveryRequest } from '../../operations.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'

const NOT_MADE = 'It is made with the next attempt.'
const NOT_KEPT = 'It is no longer kept: no attempt follows, and its links have expired.'

/** Shows the request of the last round. The page loads it when the user opens it, because it is as large as a job's result. */
export function SentCard({ id, isPending }: { id: string; isPending: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const query = useQuery(deliveryRequest, isOpen ? { id } : null)
  const sent = query.data?.node?.__typename === 'WebhookDelivery' ? query.data.node : null
  return (
    <details class="card card-body sent" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What was sent</summary>
      {isOpen && (
        <Load query={query} skeleton={<SkeletonRows rows={2} />}>
          {() =>
            sent?.requestBody ? (
              <Sent body={sent.requestBody} headers={sent.requestHeaders ?? []} />
            ) : (
              <p class="muted">{isPending ? NOT_MADE : NOT_KEPT}</p>
            )
          }
        </Load>
      )}
    </details>
  )
}

interface SentProps {
  readonly body: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

const Sent = ({ body, headers }: SentProps) => {
  const head = headers.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return (
    <div class="stack">
      <Part name="Headers" text={head} />
      <Part name="Body" text={body} />
    </div>
  )
}

const Part = ({ name, text }: { name: string; text: string }) => (
  <>
    <div class="row spread">
      <h3>{name}</h3>
      <CopyButton text={text} label={`Copy the ${name.toLowerCase()}`}>
        Copy
      </CopyButton>
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <pre class="snippet" dir="auto" tabIndex={0}>
      {text}
    </pre>
  </>
)
