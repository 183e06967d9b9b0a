import { describeConsole } from './journeys/describe-console.ts'
import { endpointsJourneys } from './journeys/endpoints.ts'
import { faultJourneys } from './journeys/faults.ts'
import { followingJourneys } from './journeys/following.ts'
import { heldPageJourneys } from './journeys/held-pages.ts'
import { interruptionJourneys } from './journeys/interruptions.ts'
import { limitJourneys } from './journeys/limits.ts'
import { sessionJourneys } from './journeys/sessions.ts'
import { unservedPoolJourneys } from './journeys/unserved-pools.ts'
import { versionJourneys } from './journeys/versions.ts'

/** With a service and a browser of their own, so that they run next to those of app.test.ts. */
describeConsole('sessions, networks and changes by others in a browser', (opened) => {
  endpointsJourneys(opened)
  faultJourneys(opened)
  versionJourneys(opened)
  sessionJourneys(opened)
  heldPageJourneys(opened)
  interruptionJourneys(opened)
  limitJourneys(opened)
  unservedPoolJourneys(opened)
  followingJourneys(opened)
})
