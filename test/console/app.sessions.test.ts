import { describeConsole } from './journeys/describe-console.ts'
import { faultJourneys } from './journeys/faults/faults.ts'
import { interruptionJourneys } from './journeys/faults/interruptions.ts'
import { limitJourneys } from './journeys/faults/limits.ts'
import { versionJourneys } from './journeys/faults/versions.ts'
import { endpointsJourneys } from './journeys/operator/endpoints.ts'
import { unservedPoolJourneys } from './journeys/operator/unserved-pools.ts'
import { followingJourneys } from './journeys/sessions/following.ts'
import { heldPageJourneys } from './journeys/sessions/held-pages.ts'
import { sessionJourneys } from './journeys/sessions/sessions.ts'

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
