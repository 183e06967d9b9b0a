import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { withSeconds } from '../api/api-error.ts'
import { areOthersOpen, endedFor, signIn } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { useSecondsLeft } from '../api/use-seconds-left.ts'
import { TextField } from '../parts/field.tsx'
import { noteMove } from '../parts/page.tsx'
import { serviceCommand } from '../parts/service-command.ts'
import { Mark } from '../shell/rail.tsx'
import { ProviderButton, ProviderRefusal } from './provider.tsx'

/** E-mail and password. The page that was asked for opens afterwards, as its address stays. */
export function SignInPage() {
  useEffect(() => {
    document.title = 'Sign in · Sonant'
  }, [])
  return (
    <Gate title="Sign in" lead={leadOf()}>
      <ProviderRefusal />
      <SignInForm>
        <ProviderButton />
      </SignInForm>
      <LostPassword />
    </Gate>
  )
}

function leadOf(): string | undefined {
  if (areOthersOpen.value)
    return 'This session had already ended. Your other sessions may still be open: sign in, then sign out everywhere again.'
  return endedFor.value === null ? undefined : 'Your session has ended. Sign in to go on where you were.'
}

export const LostPassword = () => (
  <details class="aside">
    <summary>No password, or lost it?</summary>
    <LinkAdvice email="you@example.com" />
  </details>
)

export const LinkAdvice = ({ email }: { readonly email: string }) => (
  <>
    <p>
      Ask an owner of your account: under People they make a link with which you come in. An operator makes one on the
      machine that runs Sonant:
    </p>
    <pre>{serviceCommand(`users sign-in-link ${email}`)}</pre>
  </>
)

interface SignInFormProps {
  /** The one address that is signed in with until that fails: it may have another by now. */
  readonly own?: string
  /** Below its button. */
  readonly children?: ComponentChildren
}

export function SignInForm({ own, children }: SignInFormProps) {
  const [email, setEmail] = useState(own ?? endedFor.peek() ?? '')
  const [password, setPassword] = useState('')
  const [isOpen, setOpen] = useState(own === undefined)
  const field = useRef<HTMLInputElement>(null)
  const action = useAction(() => signIn(email, password))
  const seconds = useSecondsLeft(action.failure?.retryAt ?? null)
  const focus = (): void => field.current?.focus()
  useEffect(() => {
    if ((own ?? endedFor.peek()) !== null) focus()
  }, [])
  const onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await action.run()
    setOpen(true)
    focus()
  }
  return (
    <form class="stack" onSubmit={onSubmit}>
      <AddressField value={email} onText={setEmail} readOnly={!isOpen} />
      <TextField
        label="Password"
        error={action.failure?.message && withSeconds(action.failure.message, seconds)}
        ref={field}
        type="password"
        name="password"
        autocomplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
      <button type="submit" class="button primary large" aria-disabled={action.isOff}>
        {action.isRunning ? 'Signing in…' : 'Sign in'}
      </button>
      {children}
    </form>
  )
}

interface AddressFieldProps {
  readonly value: string
  readonly onText: (text: string) => void
  readonly readOnly: boolean
}

const AddressField = (props: AddressFieldProps) => (
  <TextField label="E-mail address" type="email" name="email" autocomplete="username" required {...props} />
)

interface GateProps {
  readonly title: string
  readonly lead?: string | undefined
  readonly children: ComponentChildren
}

/** The page before the console: the form on one side, the wave on the other. */
export function Gate({ title, lead, children }: GateProps) {
  useEffect(noteMove, [])
  return (
    <div class="gate">
      <main id="main" class="gate-form">
        <p class="brand">
          <Mark />
          <span class="word">Sonant</span>
        </p>
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
        {children}
      </main>
      <div class="gate-art" aria-hidden="true">
        <svg aria-hidden="true" viewBox="0 0 640 320" preserveAspectRatio="xMidYMid meet">
          {WAVE.map((height, index) => (
            <rect key={index} x={index * 13.4} y={160 - height / 2} width="6" height={height} rx="3" />
          ))}
        </svg>
        <p>Text in, speech out.</p>
      </div>
    </div>
  )
}

/** A spoken sentence, more or less. */
const WAVE = Array.from({ length: 48 }, (_, index) => {
  const envelope = Math.sin((index / 47) * Math.PI) ** 0.7
  const voice = Math.abs(Math.sin(index * 0.9) * 0.6 + Math.sin(index * 2.3) * 0.4)
  return Math.round(10 + 230 * envelope * voice)
})
