import { useLocation } from 'preact-iso/router'
import { at, BASE } from '../api/base.ts'
import { isOperator, isOwner } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { serviceInfo } from '../operations.ts'
import { Icon } from '../parts/icon.tsx'
import { AccountMenu } from './account-menu.tsx'
import { currentSection, type Section, sectionsFor } from './sections.ts'

const IN_BOTTOM_BAR = 4

/** Left on wide screens, icons alone on middling ones, a bar at the bottom of phones. */
export function Rail() {
  const groups = sectionsFor(isOwner.value, isOperator.value)
  const { path } = useLocation()
  const all = groups.flatMap(({ sections }) => sections)
  const version = useQuery(serviceInfo, {}).data?.service.version
  const current = currentSection(all, path.slice(BASE.length) || '/')
  return (
    <div class="rail">
      <a class="brand" href={at('/')} aria-label="Sonant, overview">
        <Mark />
        <span class="word">Sonant</span>
      </a>
      <nav aria-label="Main">
        {groups.map(({ name, sections }) => (
          <div key={name} class="rail-group">
            <p class="rail-name" aria-hidden="true">
              {name}
            </p>
            {sections.map((section) => (
              <RailLink
                key={section.path}
                section={section}
                isCurrent={section.path === current}
                isSpare={all.indexOf(section) >= IN_BOTTOM_BAR}
              />
            ))}
          </div>
        ))}
      </nav>
      <RailFoot version={version} isCurrent={path.startsWith(at('/help'))} />
      <AccountMenu spare={all.slice(IN_BOTTOM_BAR)} version={version} />
    </div>
  )
}

/** Phones have it in the menu. @param version of the service, once that is known @param isCurrent help is open */
const RailFoot = ({ version, isCurrent }: { readonly version: string | undefined; readonly isCurrent: boolean }) => (
  <div class="rail-foot">
    <a class="rail-link" href={at('/help')} aria-current={isCurrent ? 'page' : undefined} title="Help">
      <Icon name="help" size={18} />
      <span class="word">Help</span>
    </a>
    {version !== undefined && <span class="version">v{version}</span>}
  </div>
)

interface RailLinkProps {
  readonly section: Section
  readonly isCurrent: boolean
  /** Not in the bar of a phone. */
  readonly isSpare: boolean
}

const RailLink = ({ section, isCurrent, isSpare }: RailLinkProps) => (
  <a
    class={isSpare ? 'rail-link spare' : 'rail-link'}
    href={at(section.path)}
    aria-current={isCurrent ? 'page' : undefined}
    title={section.name}
  >
    <Icon name={section.icon} size={18} />
    <span class="word">{section.name}</span>
  </a>
)

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M6.500 14v4M11.250 10v12M16 6.500v19M20.750 11v10M25.500 14.500v3" />
  </svg>
)
