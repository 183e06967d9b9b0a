import { useState } from 'preact/hooks'
import { asApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { timeNow } from '../api/clock.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import {
  type CreateKeyMutationVariables,
  createKey,
  grantableScopes,
  type UpdateKeyMutationVariables,
  updateKey,
} from '../operations.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field, TextField } from '../parts/field.tsx'
import { useLimits } from '../parts/limit-field.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { toast } from '../parts/toast.tsx'
import type { ApiKey } from './api-key.ts'
import { DEFAULT_SCOPES, LIFETIMES, lifetimeEnd } from './key-choices.ts'

interface KeyDialogProps {
  /** Null: a new one. */
  readonly apiKey: ApiKey | null
  readonly onDone: () => void
  readonly onClose: () => void
}

interface KeyFormProps extends KeyDialogProps {
  readonly onCreated: (value: string) => void
}

/** Name and scopes of a key; the value of a new one follows, once. */
export function KeyDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [value, setValue] = useState<string | null>(null)
  if (value === null) return <KeyForm apiKey={apiKey} onCreated={setValue} onDone={onDone} onClose={onClose} />
  return (
    <ShownOnce title="The new API key" name="API key" value={value} onClose={onClose}>
      Store it where your program reads it. It cannot be shown again.
    </ShownOnce>
  )
}

function KeyForm({ apiKey, onCreated, onDone, onClose }: KeyFormProps) {
  const [name, setName] = useState(apiKey?.name ?? '')
  const [scopes, setScopes] = useState<readonly string[]>(apiKey?.scopes ?? DEFAULT_SCOPES)
  const [lifetime, setLifetime] = useState('')
  const { limits, fields } = useLimits(apiKey)
  const save = useAction(async () => {
    const wanted = { name: name.trim(), scopes: [...scopes], ...limits }
    if (apiKey === null) onCreated((await ask(createKey, created(wanted, lifetime))).createApiKey.apiKey)
    else {
      await change({ id: apiKey.id, ...wanted }, onDone)
      onClose()
    }
    onDone()
  })
  const isReady = name.trim() !== '' && scopes.length > 0 && !save.isOff
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void save.run()
  }
  return (
    // A key that is being made is shown here alone.
    <Dialog
      title={apiKey === null ? 'Create an API key' : 'Change the key'}
      isLocked={apiKey === null && save.isRunning}
      onClose={onClose}
    >
      <form class="stack" onSubmit={onSubmit}>
        {save.failure !== null && <Failure failure={save.failure} />}
        {save.failure?.code === 'FORBIDDEN' && <Beyond scopes={scopes} message={save.failure.message} />}
        <NameField value={name} onText={setName} />
        {apiKey === null && <LifetimeField value={lifetime} onChange={setLifetime} />}
        {fields}
        <ScopeChoice scopes={scopes} onChange={setScopes} />
        <Buttons isNew={apiKey === null} isRunning={save.isRunning} isReady={isReady} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** The service names the scope that its caller may not hand on, in words for programs. */
function Beyond({ scopes, message }: { scopes: readonly string[]; message: string }) {
  const scope = scopes.find((one) => message.includes(one))
  return scope === undefined ? null : (
    <p class="hint bad">You cannot give a key the right {scope}: ask your operator for it.</p>
  )
}

interface ButtonsProps {
  readonly isNew: boolean
  readonly isRunning: boolean
  readonly isReady: boolean
  readonly onClose: () => void
}

const Buttons = ({ isNew, isRunning, isReady, onClose }: ButtonsProps) => (
  <div class="row end">
    <button type="button" class="button" aria-disabled={isRunning} onClick={onClose}>
      Go back
    </button>
    <button type="submit" class="button primary" aria-disabled={!isReady}>
      {isNew ? 'Create' : 'Save'}
    </button>
  </div>
)

const created = (wanted: CreateKeyMutationVariables, lifetime: string): CreateKeyMutationVariables => ({
  ...wanted,
  ...(lifetime !== '' && { expiresAt: lifetimeEnd(lifetime, timeNow()) }),
})

async function change(input: UpdateKeyMutationVariables, onGone: () => void): Promise<void> {
  await ask(updateKey, input).catch((error) => {
    // Deleted elsewhere meanwhile, it leaves the list behind the dialog.
    if (asApiError(error).code === 'NOT_FOUND') onGone()
    throw error
  })
  toast('The key is changed.')
}

const NameField = ({ value, onText }: { value: string; onText: (text: string) => void }) => (
  <TextField
    label="Name"
    hint="Which program uses it, such as “website, production”."
    required
    maxLength={100}
    autocomplete="off"
    dir="auto"
    value={value}
    onText={onText}
  />
)

const LifetimeField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <Field label="Expires" hint="From then on the key is refused. It cannot be renewed.">
    {(parts) => (
      <select {...parts} class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">Never</option>
        {Object.entries(LIFETIMES).map(([days, text]) => (
          <option key={days} value={days}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

interface ScopeChoiceProps {
  readonly scopes: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
}

function ScopeChoice({ scopes, onChange }: ScopeChoiceProps) {
  const query = useQuery(grantableScopes, {})
  const about = new Map(query.data?.grantableScopes.map(({ name, description }) => [name, description]))
  const offered = [...new Set([...about.keys(), ...scopes])]
  const toggle = (scope: string): void =>
    onChange(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
  return (
    <fieldset>
      <legend class="label">It may</legend>
      <Load query={query} skeleton={<SkeletonRows rows={3} />}>
        {() =>
          offered.map((scope) => (
            <label key={scope} class="check">
              <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
              <span>
                {about.get(scope) ?? 'Use what your operator opens only to keys with this right.'}{' '}
                <code class="faint">{scope}</code>
              </span>
            </label>
          ))
        }
      </Load>
    </fieldset>
  )
}
