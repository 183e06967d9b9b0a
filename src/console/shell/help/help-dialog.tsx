import { at } from '../../api/base.ts'
import { isOperator, isOwner } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { serviceInfo } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Segments } from '../../parts/field.tsx'
import { sectionsFor } from '../sections.ts'
import { areShortcutsOn, chooseShortcuts, isHelpOpen } from './help.ts'

const EVERYWHERE = [
  ['?', 'This help'],
  ['Ctrl K', 'Find a page, a job, a voice, a key or a person, or do something'],
  ['/', 'To the search field or the first filter, else the same as Ctrl K'],
  ['Ctrl Enter', 'Speak in the playground, confirm in a dialog'],
  ['Space', 'Play and pause, on a player'],
  ['← →', 'Five seconds back or forward, on a player'],
  ['Esc', 'Close a dialog or a menu'],
  ['j k', 'Next and previous row, job or delivery'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['l', 'Live updates on and off, in jobs and deliveries'],
  ['c', 'Cancel the job'],
  ['r', 'Retry the failed job'],
] as const

/** The keys of every screen, and what is served here. */
export function HelpDialog() {
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
          onChange={chooseShortcuts}
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
      {' · '}
      <a href={at('/help')} onClick={close}>
        Documentation
      </a>
    </p>
  )
}

function close(): void {
  isHelpOpen.value = false
}
