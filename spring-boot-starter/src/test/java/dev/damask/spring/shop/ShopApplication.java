package dev.damask.spring.shop;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;

import dev.damask.term.WorkflowDefinition;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/// An application on a port with users of its own and one workflow.
@SpringBootConfiguration
@EnableAutoConfiguration(
    excludeName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
    })
public class ShopApplication {
  /// A name that firewalls refuse in an address.
  public static final String ODD = "a/b;c%~2F";

  @Bean
  WorkflowDefinition odd() {
    return workflow(ODD, skip());
  }

  @Bean
  WorkflowDefinition order() {
    return workflow("order", defer(on("approved", skip())));
  }

  @Bean
  SecurityFilterChain chain(
      HttpSecurity http,
      @Value("${shop.csrf:true}") boolean hasCsrf,
      @Value("${shop.open:false}") boolean isOpen)
      throws Exception {
    http.authorizeHttpRequests(
            rules -> {
              if (isOpen) {
                rules.anyRequest().permitAll();
              } else {
                rules.anyRequest().authenticated();
              }
            })
        .formLogin(Customizer.withDefaults())
        .httpBasic(Customizer.withDefaults());
    if (!hasCsrf) {
      http.csrf(CsrfConfigurer::disable);
    }
    return http.build();
  }

  @Bean
  InMemoryUserDetailsManager users() {
    return new InMemoryUserDetailsManager(
        List.of(
            user("vera", "DAMASK_VIEWER"),
            user("otto", "ROLE_DAMASK_OPERATOR"),
            user("ada", "DAMASK_ADMIN"),
            user("nils", "SOMETHING_ELSE")));
  }

  private static UserDetails user(String name, String authority) {
    return User.withUsername(name).password("{noop}" + name).authorities(authority).build();
  }
}
