import { describeReadings } from './readings.ts'

describeReadings('German', {
  cardinal: `
    Sie hat 21 Bücher und 1 Katze. | Sie hat ein und zwanzig Bücher und eine Katze.
    Die Stadt hat 1.250.300 Einwohner. | Die Stadt hat eine Million zwei hundert fünfzig tausend drei hundert Einwohner.
    Im Saal saßen 1.850 Gäste. | Im Saal saßen ein tausend acht hundert fünfzig Gäste.
    Er wartet 1 Stunde und 12 Tage. | Er wartet eine Stunde und zwölf Tage.
    Das Dorf hat 987 Einwohner. | Das Dorf hat neun hundert sieben und achtzig Einwohner.
    Es kamen 1.204 Gäste. | Es kamen ein tausend zwei hundert vier Gäste.
    Sie kam nach 1 Minute mit 1 Koffer. | Sie kam nach einer Minute mit einem Koffer.
    Das Baby ist 1 Monat alt und wiegt 1 Pfund. | Das Baby ist einen Monat alt und wiegt ein Pfund.
    Sie packte 1 Koffer und er pflückte 1/2 Apfel. | Sie packte einen Koffer und er pflückte einen halben Apfel.
    Er ist 1 Freund. | Er ist ein Freund.
    Tore 2,5,7,9 und 3k Besucher. | Tore zwei, fünf, sieben, neun und drei tausend Besucher.
    Er hat 1 Sohn und 1 neue Idee. | Er hat einen Sohn und eine neue Idee.
    Laut Artikel 1 Absatz 1 gilt das. | Laut Artikel eins Absatz eins gilt das.
    Nehmen Sie 2x täglich 1 Tablette. | Nehmen Sie zweimal täglich eine Tablette.
    Es sind 20030000000000401 Zellen und 1.701.000.000 Viren. | Es sind zwanzig Billiarden dreißig Billionen vier hundert eins Zellen und eine Milliarde sieben hundert eins Millionen Viren.
    Das gilt von 1 Tag bis 3 Mon. lang, seit 3 Mon. | Das gilt von einem Tag bis drei Monate lang, seit drei Monaten.
  `,
  ordinal: `
    Am 3. Tag kam der 2. Zug. | Am dritten Tag kam der zweite Zug.
    Der 1. Platz geht an Anna. | Der erste Platz geht an Anna.
    Sie wohnt im 4. Stock. | Sie wohnt im vierten Stock.
    Das ist ihr 7. Buch. | Das ist ihr siebtes Buch.
    In der 90.+2 Minute traf er. | In der neunzigsten plus zwei Minute traf er.
    Der 1. FC wohnt im 2. OG, er kam als 3. an. | Der erste F C wohnt im zweiten Obergeschoss, er kam als dritter an.
  `,
  decimal: `
    Der Wert stieg um 0,75 Punkte. | Der Wert stieg um null Komma sieben fünf Punkte.
    Die Note ist 2,3. | Die Note ist zwei Komma drei.
  `,
  fraction: `
    Es fehlen 2/3 der Stimmen. | Es fehlen zwei drittel der Stimmen.
    Es fehlen 3/4 der Stimmen. | Es fehlen drei viertel der Stimmen.
    Er trank 1/2 Glas mit 1/2 l Milch, eine halbe Tasse und 1/2 Tasse Tee. | Er trank ein halbes Glas mit einem halben Liter Milch, eine halbe Tasse und eine halbe Tasse Tee.
    1/2 ″ | ein halb Zoll
    Er trank 1/2 der Milch. | Er trank die Hälfte der Milch.
    Der Fall 4711/19 und Nr. 3/2021. | Der Fall vier tausend sieben hundert elf Schrägstrich neunzehn und Nummer drei Schrägstrich zwei tausend ein und zwanzig.
  `,
  money: `
    Das Buch kostet 15,50 €. | Das Buch kostet fünfzehn Euro fünfzig Cent.
    Der Bau kostet 2,4 Mio. Euro. | Der Bau kostet zwei Komma vier Millionen Euro.
    Das macht $ 3,25. | Das macht drei Dollar fünf und zwanzig Cent.
    Er zahlt 21 € und 50 Cent. | Er zahlt ein und zwanzig Euro und fünfzig Cent.
    Die Miete beträgt 850 €. | Die Miete beträgt acht hundert fünfzig Euro.
    Mit 1 € sind Sie dabei, für 1 $ auch. | Mit einem Euro sind Sie dabei, für einen Dollar auch.
  `,
  measure: `
    Er fährt 120 km/h. | Er fährt ein hundert zwanzig Kilometer pro Stunde.
    Sie ist 1,75 m groß und wiegt 61 kg. | Sie ist eins Komma sieben fünf Meter groß und wiegt ein und sechzig Kilogramm.
    Der Raum hat 24 m². | Der Raum hat vier und zwanzig Quadrat Meter.
    Es sind -4 °C. | Es sind minus vier Grad Celsius.
    Man braucht 250 ml und 1 l. | Man braucht zwei hundert fünfzig Milliliter und ein Liter.
    Die Zahl sank um 8 %. | Die Zahl sank um acht Prozent.
    Der Sack wiegt 25 kg. | Der Sack wiegt fünf und zwanzig Kilogramm.
    Wir brauchen 3 m Stoff. | Wir brauchen drei Meter Stoff.
    Der Preis pro kg, 0,4 l/100 km und 300 kcal/100 g. | Der Preis pro Kilogramm, null Komma vier Liter auf ein hundert Kilometer und drei hundert Kilokalorien pro ein hundert Gramm.
    Die Kiste misst 30 x 40 x 50 cm. | Die Kiste misst dreißig mal vierzig mal fünfzig Zentimeter.
    Der Koffer (L x B x H), der Schrank TxBxH. | Der Koffer (L mal B mal H), der Schrank T mal B mal H.
    Der 50-m-Lauf und das 27"-Gerät. | Der fünfzig Meter-Lauf und das sieben und zwanzig Zoll-Gerät.
    Rund 3·10⁵ km/s. | Rund drei mal zehn hoch fünf Kilometer pro Sekunde.
    Pause von 2 Std. Dann 3 Std. Fahrt mit 2 Pers. im Auto. | Pause von zwei Stunden. Dann drei Stunden Fahrt mit zwei Personen im Auto.
  `,
  date: `
    Sie kam am 3. April 1999. | Sie kam am dritten April neunzehn hundert neun und neunzig.
    Der Termin ist am 07.11.2025. | Der Termin ist am siebten November zwei tausend fünf und zwanzig.
    17.4 | siebzehnter April
    Am 6.9 um elf, in Version 6.9. | Am sechsten September um elf, in Version sechs Punkt neun.
    Am 1. Mai ist frei. | Am ersten Mai ist frei.
    Vom 2. bis 5. Juni. | Vom zweiten bis fünften Juni.
    Erschienen 2023-10-05. | Erschienen fünfter Oktober zwei tausend drei und zwanzig.
    Heute ist der 3. Mai. | Heute ist der dritte Mai.
    Am 24. Dezember 2020 schneite es. | Am vier und zwanzigsten Dezember zwei tausend zwanzig schneite es.
    Bitte frühestens am 7. 3. 1991 und bis Di., 4. Juni. | Bitte frühestens am siebten März neunzehn hundert ein und neunzig und bis Dienstag, vierten Juni.
    Die Saison 2021/22 begann 08/2021. | Die Saison zwei tausend ein und zwanzig zwei und zwanzig begann August zwei tausend ein und zwanzig.
    In den 20ern und den 1950er-Jahren. | In den zwanzigern und den neunzehn hundert fünfziger-Jahren.
  `,
  time: `
    Das Gespräch ist um 16:00 Uhr CET, also 10 Uhr edt. | Das Gespräch ist um sechzehn Uhr c e t, also zehn Uhr e d t.
    Um 21:15 Uhr beginnt es. | Um ein und zwanzig Uhr fünfzehn beginnt es.
    Der Zug fährt um 6.30 Uhr. | Der Zug fährt um sechs Uhr dreißig.
    Von 9:00 bis 14:00 Uhr. | Von neun Uhr bis vierzehn Uhr.
    Der Film beginnt um 20 Uhr. | Der Film beginnt um zwanzig Uhr.
    Offen Mo und Mi ab 7h, Fr 9-11 Uhr. | Offen Montag und Mittwoch ab sieben Uhr, Freitag neun bis elf Uhr.
    Sie lief 1:30 Std. und 2:10,5 Min. lang, Start um 9.45. | Sie lief eine Stunde dreißig Minuten und zwei Minuten zehn Komma fünf Sekunden lang, Start um neun Uhr fünf und vierzig.
    Komm gegen 1/2 4. | Komm gegen halb vier.
  `,
  telephone: `
    Tel. 030 1234567 | Telefon null drei null, eins zwei drei vier fünf sechs sieben
    Meine Nummer ist +49 170 1234567. | Meine Nummer ist plus neun und vierzig, eins sieben null, eins zwei drei vier fünf sechs sieben.
    Tel. +49 (0)30 12345 | Telefon plus neun und vierzig, null, drei null, eins zwei drei vier fünf
    Tel. 0221 / 12 34 | Telefon null zwei zwei eins, eins zwei, drei vier
    Notruf 110 | Notruf eins eins null
    Tel. 08 00/1 23 45 67 | Telefon null acht, null null, eins, zwei drei, vier fünf, sechs sieben
  `,
  range: `
    Lies die Seiten 12-18. | Lies die Seiten zwölf bis achtzehn.
    Der Krieg 1914–1918. | Der Krieg neunzehn hundert vierzehn bis neunzehn hundert achtzehn.
    20-25 Minuten backen. | zwanzig bis fünf und zwanzig Minuten backen.
    Wir brauchen 1-2 Leute für 1 bis 2 Tage. | Wir brauchen ein bis zwei Leute für ein bis zwei Tage.
  `,
  roman: `
    Ludwig XIV. war König. | Ludwig der vierzehnte war König.
    Papst Johannes Paul II. reiste viel. | Papst Johannes Paul der zweite reiste viel.
    Kapitel IV beginnt. | Kapitel vier beginnt.
    Unter Karl V. und gegen Otto II. kämpften die Heere Friedrichs II. lange. | Unter Karl dem fünften und gegen Otto den zweiten kämpften die Heere Friedrichs des zweiten lange.
    Kap. IV und Bd. II | Kapitel vier und Band zwei
  `,
  score: `
    Bayern siegte 4:2. | Bayern siegte vier zu zwei.
    Der Plan ist im Maßstab 1:2000. | Der Plan ist im Maßstab eins zu zwei tausend.
  `,
  electronic: `
    Schreib an lisa@gmail.com. | Schreib an l i s a at g mail Punkt com.
    Siehe www.bund.de/hilfe. | Siehe w w w Punkt bund Punkt d e Slash hilfe.
    Folge @eva_k und #Urlaub | Folge at e v a Unterstrich k und Hashtag Urlaub
  `,
  serial: `
    Ihr Auto K-LM 417 hat Platz. | Ihr Auto K L M vier eins sieben hat Platz.
    Der Airbus A380 landet. | Der Airbus A drei hundert achtzig landet.
    Version 3.4.1. Siehe Kap. 2.3 und Abb. 4.1. | Version drei Punkt vier Punkt eins. Siehe Kapitel zwei Punkt drei und Abbildung vier Punkt eins.
    ISBN 3-16-148410-0 | ISBN drei, eins sechs, eins vier acht vier eins null, null
    Typisch 08/15. | Typisch null acht fünfzehn.
  `,
  math: `
    5 + 3 = 8 | fünf plus drei gleich acht
    x² ≤ 10 | x Quadrat kleiner gleich zehn
    CO₂ in der Luft | C O zwei in der Luft
    4 × 5 = 20 | vier mal fünf gleich zwanzig
    9 - 5 = 4 | neun minus fünf gleich vier
  `,
  abbreviation: `
    Frl. Adler, Gebr. Kern und Dr. phil. Ott | Fräulein Adler, Gebrüder Kern und Doktor philosophiae Ott
    die dt. Sprache, der südl. Teil | die deutsche Sprache, der südliche Teil
    Dr. Weber und Prof. Klein kommen. | Doktor Weber und Professor Klein kommen.
    Obst, z. B. Äpfel, Birnen usw. | Obst, zum Beispiel Äpfel, Birnen und so weiter.
    Nr. 5 auf S. 12 | Nummer fünf auf Seite zwölf
    Er lebte 31 v. Chr. | Er lebte ein und dreißig vor Christus.
    Das ist ca. 5 km entfernt. | Das ist circa fünf Kilometer entfernt.
    Obst, Gemüse usw. Dann Brot. | Obst, Gemüse und so weiter. Dann Brot.
    Das Ehepaar A. B. Meier, Müller & Co. KG, S. 5 f. und 7 ff. | Das Ehepaar A B Meier, Müller und Co K G, Seite fünf folgende und sieben folgende.
    Sieg n. V. am Hbf, 2 Karten p. P. | Sieg nach Verlängerung am Hauptbahnhof, zwei Karten pro Person.
    mfG Eva | mit freundlichen Grüßen Eva
    Die Fa. Meier und Mag. Huber trafen Gen. Lee am Bf. Nord. | Die Firma Meier und Magister Huber trafen General Lee am Bahnhof Nord.
  `,
  acronym: `
    Wir nehmen Plan C. Danach folgt Gruppe D. Belgien siegte, sagt K. Weber. | Wir nehmen Plan C. Danach folgt Gruppe D. Belgien siegte, sagt K Weber.
    Die EU, die UNO und die NATO. | Die E U, die UNO und die NATO.
    Die CDU/CSU regiert. | Die C D U/C S U regiert.
  `,
  symbol: `
    Weber & Söhne © 2020 | Weber und Söhne Copyright zwei tausend zwanzig
    Er sagte: 50 % + 5 %. | Er sagte: fünfzig Prozent plus fünf Prozent.
  `,
})
