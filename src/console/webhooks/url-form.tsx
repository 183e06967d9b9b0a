import { useState } from 'preact/hooks'
import { type ApiError, withSeconds } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { useAction } from '../api/use-action.ts'
import { useSecondsLeft } from '../api/use-seconds-left.ts'
import { pendingDeliveries, setWebhookUrl } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { toast } from '../parts/toast.tsx'

interface UrlFormProps {
  /** Empty: there is none. */
  readonly url: string
  readonly onSaved: () => void
}

/** Saves a URL at once; while deliveries are under way, once the reader has confirmed what becomes of them. */
function useSaving({ onSaved }: Pick<UrlFormProps, 'onSaved'>, text: string) {
  const [pending, setPending] = useState(0)
  const write = async (value: string | null): Promise<void> => {
    await ask(setWebhookUrl, { url: value })
    toast(value === null ? 'The webhook URL is removed.' : 'The webhook URL is saved.')
    onSaved()
  }
  const save = useAction(async () => {
    const { totalCount } = (await ask(pendingDeliveries, {})).webhookDeliveries
    if (totalCount === 0) await write(text)
    setPending(totalCount)
  })
  return { write, save, pending, forget: () => setPending(0) }
}

export function UrlForm({ url, onSaved }: UrlFormProps) {
  const [text, setText] = useState(url)
  const [isClearing, setClearing] = useState(false)
  const { write, save, pending, forget } = useSaving({ onSaved }, text.trim())
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void save.run()
  }
  return (
    <section class="card">
      <div class="card-head">
        <h2>Where deliveries go</h2>
      </div>
      <form class="stack card-body" onSubmit={onSubmit}>
        {url === '' && (
          <p class="muted">
            When a job ends, Sonant posts its result to this URL, signed, so that your program need not ask for it.
          </p>
        )}
        <UrlField value={text} failure={save.failure} onText={setText} />
        <div class="row">
          <button
            type="submit"
            class="button primary"
            aria-disabled={save.isOff || text.trim() === '' || text.trim() === url}
          >
            Save
          </button>
          {url !== '' && (
            <button type="button" class="button danger" onClick={() => setClearing(true)}>
              Clear
            </button>
          )}
        </div>
      </form>
      {pending > 0 && <SaveDialog pending={pending} onConfirm={() => write(text.trim())} onClose={forget} />}
      {isClearing && <ClearDialog onConfirm={() => write(null)} onClose={() => setClearing(false)} />}
    </section>
  )
}

interface UrlFieldProps {
  readonly value: string
  readonly failure: ApiError | null
  readonly onText: (text: string) => void
}

function UrlField({ value, failure, onText }: UrlFieldProps) {
  const seconds = useSecondsLeft(failure?.retryAt ?? null)
  const reason = failure?.details[0]?.message ?? failure?.message
  return (
    <TextField
      label="URL"
      hint="https, on port 443 or from 1024 upwards. A program may give a job another URL."
      error={reason && withSeconds(reason, seconds)}
      type="url"
      inputMode="url"
      placeholder="https://example.com/hooks/sonant"
      value={value}
      onText={onText}
    />
  )
}

interface DialogProps {
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

const SaveDialog = ({ pending, ...confirming }: DialogProps & { readonly pending: number }) => (
  <ConfirmDialog title="Save the webhook URL?" action="Save the URL" {...confirming}>
    {count(pending)} {pending === 1 ? 'delivery is' : 'deliveries are'} under way. Each keeps the URL that it has,
    retries included. Later ones go to the new URL.
  </ConfirmDialog>
)

const ClearDialog = ({ onConfirm, onClose }: DialogProps) => (
  <ConfirmDialog title="Clear the webhook URL?" action="Clear" isDanger onConfirm={onConfirm} onClose={onClose}>
    From now on only jobs that come with a URL of their own are delivered. Deliveries under way keep their URL.
  </ConfirmDialog>
)
