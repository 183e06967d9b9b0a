import { signal } from '@preact/signals'
import { isOperator, isOwner } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { serviceInfo } from '../operations.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Segments } from '../parts/field.tsx'
import { sectionsFor } from './sections.ts'

const KEY = 'sonant-shortcuts'
export const isHelpOpen = signal(false)
/** Single letters can be switched off, for users that steer by voice. */
export const areShortcutsOn = signal(readChoice())

const EVERYWHERE = [
  ['?', 'This help'],
  ['/', 'To the search field or the first filter'],
  ['Ctrl Enter', 'Speak in the playground, confirm in a dialog'],
  ['Space', 'Play and pause, on a player'],
  ['← →', 'Five seconds back or forward, on a player'],
  ['Esc', 'Close a dialog or a menu'],
  ['j k', 'Next and previous job'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['l', 'Live updates on and off, in the jobs'],
  ['c', 'Cancel the job'],
  ['r', 'Retry the failed job'],
] as const

export function HelpDialog() {
  if (!isHelpOpen.value) return null
  const places = sectionsFor(isOwner.value, isOperator.value).flatMap(({ sections }) => sections)
  const rows = [...EVERYWHERE, ...places.map(({ letter, name }) => [`g ${letter}`, name] as const)]
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {rows.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <div class="row spread">
        <span>Single letters</span>
        <Segments
          label="Single letters"
          value={areShortcutsOn.value ? 'on' : 'off'}
          onChange={choose}
          options={[
            ['on', 'On'],
            ['off', 'Off'],
          ]}
        />
      </div>
      <About />
    </Dialog>
  )
}

function About() {
  const info = useQuery(serviceInfo, {}).data?.service
  return (
    <p class="faint small-text about">
      {info === undefined ? ' ' : `Sonant ${info.version} at ${info.publicUrl as string}`}
    </p>
  )
}

function close(): void {
  isHelpOpen.value = false
}

function choose(value: 'on' | 'off'): void {
  areShortcutsOn.value = value === 'on'
  try {
    localStorage.setItem(KEY, value)
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function readChoice(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}
