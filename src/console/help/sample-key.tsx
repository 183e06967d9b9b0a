import { signal } from '@preact/signals'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { isOwner, signOuts } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { createKey } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'

const NAME = 'Samples of the help'
const DAY_MS = 24 * 60 * 60 * 1000

/** The key that the samples have, for as long as the tab is open. No storage holds it. */
export const sampleKey = signal<string | null>(null)

signOuts.subscribe(() => {
  sampleKey.value = null
})

/** Above samples that need a key. */
export const SampleKey = () => <div class="notice info sample-key">{isOwner.value ? <OfOwner /> : <OfMember />}</div>

const OfMember = () => <p>$KEY stands for an API key. An owner of your account can make one for you.</p>

function OfOwner() {
  const make = useAction(async () => {
    const expiresAt = new Date(timeNow() + DAY_MS).toISOString()
    sampleKey.value = (await ask(createKey, { name: NAME, expiresAt })).createApiKey.apiKey
  })
  if (sampleKey.value !== null)
    return (
      <p role="status">
        The key “{NAME}” stands in every sample until this tab is closed or loaded again. It speaks and reads jobs, and
        ends in a day; give it more rights, or delete it, under <a href={at('/keys')}>API keys</a>.
      </p>
    )
  return (
    <div class="notice-body">
      <p>The samples need an API key. One press makes one and fills it in, in this tab alone.</p>
      {make.failure !== null && <Failure failure={make.failure} />}
      <button type="button" class="button small" aria-disabled={make.isOff} onClick={() => void make.run()}>
        Fill in a key
      </button>
    </div>
  )
}
